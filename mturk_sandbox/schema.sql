-- The sandbox's accounts and HITs. Times are seconds since the epoch, money is in cents.
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);

CREATE TABLE IF NOT EXISTS accounts (
    id TEXT PRIMARY KEY,                     -- the access key ID of the caller
    customer_id TEXT NOT NULL,
    available INTEGER NOT NULL DEFAULT 0,
    held INTEGER NOT NULL DEFAULT 0,
    created REAL NOT NULL
);

CREATE TABLE IF NOT EXISTS ledger (          -- append-only; accounts.available and .held are its sums
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account TEXT NOT NULL REFERENCES accounts,
    time REAL NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN
        ('deposit', 'hold', 'release', 'reward', 'reward_fee', 'bonus', 'bonus_fee')),
    available INTEGER NOT NULL,              -- what it adds to the balance
    held INTEGER NOT NULL,                   -- what it adds to the amount on hold
    hit_id TEXT, assignment_id TEXT, worker_id TEXT, bonus_id TEXT
);
CREATE INDEX IF NOT EXISTS ledger_account ON ledger (account, id);

CREATE TABLE IF NOT EXISTS hit_types (
    id TEXT PRIMARY KEY,
    account TEXT NOT NULL,
    group_id TEXT NOT NULL UNIQUE,
    fingerprint TEXT NOT NULL,               -- of all that follows: the same values, the same type
    title TEXT NOT NULL, description TEXT NOT NULL, keywords TEXT,
    reward INTEGER NOT NULL, reward_text TEXT NOT NULL,
    auto_approval INTEGER NOT NULL, duration INTEGER NOT NULL,
    requirements TEXT NOT NULL,
    notification TEXT, notification_active INTEGER NOT NULL DEFAULT 0,
    UNIQUE (account, fingerprint)
);

CREATE TABLE IF NOT EXISTS hits (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account TEXT NOT NULL,
    type_id TEXT NOT NULL REFERENCES hit_types,
    created REAL NOT NULL,
    question TEXT NOT NULL,
    annotation TEXT,
    max_assignments INTEGER NOT NULL,
    fee INTEGER NOT NULL,                    -- for one assignment
    expiration REAL NOT NULL,
    expired INTEGER NOT NULL DEFAULT 0,
    disposed INTEGER NOT NULL DEFAULT 0,
    announced INTEGER NOT NULL DEFAULT 0,    -- HITReviewable was sent
    active REAL NOT NULL,                    -- its last change, for disposal after 120 days
    held INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS hits_account ON hits (account, seq);
CREATE INDEX IF NOT EXISTS hits_type ON hits (type_id);
CREATE INDEX IF NOT EXISTS hits_expiring ON hits (expiration) WHERE expired = 0 AND disposed = 0;
CREATE INDEX IF NOT EXISTS hits_ageing ON hits (active) WHERE disposed = 0;

CREATE TABLE IF NOT EXISTS assignments (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    hit_id TEXT NOT NULL REFERENCES hits (id),
    worker_id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN
        ('Accepted', 'Submitted', 'Approved', 'Rejected', 'Returned', 'Abandoned')),
    reward INTEGER NOT NULL, fee INTEGER NOT NULL,
    accepted REAL NOT NULL, deadline REAL NOT NULL,
    submitted REAL, auto_approval REAL, approved REAL, rejected REAL, ended REAL,
    answer TEXT, feedback TEXT
);
CREATE UNIQUE INDEX IF NOT EXISTS one_assignment_of_a_hit ON assignments (hit_id, worker_id)
    WHERE status NOT IN ('Returned', 'Abandoned');
CREATE INDEX IF NOT EXISTS assignments_hit ON assignments (hit_id, status);
CREATE INDEX IF NOT EXISTS assignments_worker ON assignments (worker_id, status);
CREATE INDEX IF NOT EXISTS assignments_running ON assignments (deadline) WHERE status = 'Accepted';
CREATE INDEX IF NOT EXISTS assignments_waiting ON assignments (auto_approval)
    WHERE status = 'Submitted';

CREATE VIEW IF NOT EXISTS hit_counts AS SELECT hits.*,
    (SELECT COUNT(*) FROM assignments a WHERE a.hit_id = hits.id AND a.status = 'Accepted')
        AS pending,
    (SELECT COUNT(*) FROM assignments a WHERE a.hit_id = hits.id AND a.status = 'Submitted')
        AS submitted,
    (SELECT COUNT(*) FROM assignments a
        WHERE a.hit_id = hits.id AND a.status IN ('Approved', 'Rejected')) AS completed
    FROM hits;
-- The states follow from the facts, so that they cannot disagree with them.
CREATE VIEW IF NOT EXISTS hit_states AS SELECT *, CASE
    WHEN disposed THEN 'Disposed'
    WHEN NOT expired AND pending + submitted + completed < max_assignments THEN 'Assignable'
    WHEN pending > 0 THEN 'Unassignable'
    ELSE 'Reviewable' END AS status,
    CASE WHEN disposed OR expired THEN 0
    ELSE max_assignments - pending - submitted - completed END AS open
    FROM hit_counts;

CREATE TABLE IF NOT EXISTS bonuses (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account TEXT NOT NULL, worker_id TEXT NOT NULL,
    assignment_id TEXT NOT NULL, hit_id TEXT NOT NULL,
    amount INTEGER NOT NULL, amount_text TEXT NOT NULL, fee INTEGER NOT NULL,
    reason TEXT NOT NULL, granted REAL NOT NULL
);

CREATE TABLE IF NOT EXISTS request_tokens (
    account TEXT NOT NULL, purpose TEXT NOT NULL, token TEXT NOT NULL,
    time REAL NOT NULL, request_id TEXT NOT NULL, made TEXT NOT NULL,
    PRIMARY KEY (account, purpose, token)
);

CREATE TABLE IF NOT EXISTS workers (
    id TEXT PRIMARY KEY,
    country TEXT NOT NULL DEFAULT 'US', subdivision TEXT NOT NULL DEFAULT '',
    masters INTEGER NOT NULL DEFAULT 0,
    approved_before INTEGER NOT NULL DEFAULT 0, rejected_before INTEGER NOT NULL DEFAULT 0,
    created REAL NOT NULL
);

CREATE TABLE IF NOT EXISTS qualification_types (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    account TEXT NOT NULL,                   -- empty for MTurk's own
    created REAL NOT NULL,
    name TEXT NOT NULL, description TEXT NOT NULL,
    status TEXT NOT NULL,
    test TEXT, answer_key TEXT, test_duration INTEGER, retry_delay INTEGER
);
CREATE UNIQUE INDEX IF NOT EXISTS one_name_in_an_account ON qualification_types (account, name);

CREATE TABLE IF NOT EXISTS qualifications (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    type_id TEXT NOT NULL, worker_id TEXT NOT NULL,
    value INTEGER NOT NULL, status TEXT NOT NULL, granted REAL NOT NULL,
    UNIQUE (type_id, worker_id)
);

CREATE TABLE IF NOT EXISTS qualification_requests (  -- every time a worker asked for one
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    type_id TEXT NOT NULL, worker_id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('Sitting', 'Pending', 'Granted', 'Rejected', 'Lapsed')),
    asked REAL NOT NULL, deadline REAL, submitted REAL,
    test TEXT, answer_key TEXT               -- as they were when the worker began
);
CREATE INDEX IF NOT EXISTS requests_type ON qualification_requests (type_id, worker_id);

CREATE TABLE IF NOT EXISTS queues (name TEXT PRIMARY KEY, visibility INTEGER NOT NULL DEFAULT 30);
CREATE TABLE IF NOT EXISTS messages (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL, queue TEXT NOT NULL REFERENCES queues ON DELETE CASCADE,
    body TEXT NOT NULL, sent REAL NOT NULL, visible_at REAL NOT NULL,
    receipt TEXT, received INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS messages_visible ON messages (queue, visible_at);
