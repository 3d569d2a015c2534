"""Every promise of the rating flow, counted from the database.

Used by all tests that hand out HITs, small and large: whatever ran, at the same time or after a
crash, `assert_invariants` must hold; `assert_complete` besides when the work is done.
"""

from __future__ import annotations

from typing import Any

from django.db import connection

from annotation.studies.models import Study

# Each query finds what must not be; a row is a breach. %s is the study.
NEVER = {
    "open_slots differs from wanted - held - submitted": """
        SELECT h.id, h.wanted, h.open_slots, count(a.id)
        FROM annotation_hit h
        JOIN annotation_stage s ON s.id = h.stage_id
        LEFT JOIN annotation_assignment a ON a.hit_id = h.id AND a.status IN ('held', 'submitted')
        WHERE s.study_id = %s
        GROUP BY h.id HAVING h.open_slots <> h.wanted - count(a.id)""",
    "a HIT has more submissions than wanted": """
        SELECT h.id, h.wanted, count(*)
        FROM annotation_hit h
        JOIN annotation_stage s ON s.id = h.stage_id
        JOIN annotation_assignment a ON a.hit_id = h.id AND a.status = 'submitted'
        WHERE s.study_id = %s
        GROUP BY h.id HAVING count(*) > h.wanted""",
    "a worker rated a candidate twice": """
        SELECT r.worker_id, r.candidate_id, count(*)
        FROM annotation_rating r JOIN annotation_studycandidate c ON c.id = r.candidate_id
        WHERE c.study_id = %s
        GROUP BY 1, 2 HAVING count(*) > 1""",
    "a worker had a candidate in two HITs": """
        SELECT a.worker_id, m.candidate_id, count(*)
        FROM annotation_assignment a
        JOIN annotation_hitcandidate m ON m.hit_id = a.hit_id
        JOIN annotation_studycandidate c ON c.id = m.candidate_id
        WHERE c.study_id = %s
        GROUP BY 1, 2 HAVING count(*) > 1""",
    "a worker saw both members of a pair": """
        SELECT a.worker_id, c.pair, count(DISTINCT c.pair_member)
        FROM annotation_assignment a
        JOIN annotation_hitcandidate m ON m.hit_id = a.hit_id
        JOIN annotation_studycandidate c ON c.id = m.candidate_id
        WHERE c.study_id = %s AND c.pair <> ''
        GROUP BY 1, 2 HAVING count(DISTINCT c.pair_member) > 1""",
    "a candidate has more kept ratings in a stage than asked": """
        SELECT m.candidate_id, h.stage_id, sum(h.wanted), sum(k.kept)
        FROM annotation_hitcandidate m
        JOIN annotation_hit h ON h.id = m.hit_id
        JOIN annotation_stage s ON s.id = h.stage_id
        CROSS JOIN LATERAL (
            SELECT count(*) AS kept FROM annotation_rating r
            JOIN annotation_assignment a ON a.id = r.assignment_id
            WHERE r.candidate_id = m.candidate_id AND a.hit_id = h.id AND a.status = 'submitted'
        ) k
        WHERE s.study_id = %s
        GROUP BY 1, 2 HAVING sum(k.kept) > sum(h.wanted)""",
    "a submission lacks a rating": """
        SELECT a.id, m.candidate_id
        FROM annotation_assignment a
        JOIN annotation_hit h ON h.id = a.hit_id
        JOIN annotation_stage s ON s.id = h.stage_id
        JOIN annotation_hitcandidate m ON m.hit_id = a.hit_id
        JOIN annotation_worker w ON w.id = a.worker_id
        LEFT JOIN annotation_rating r ON r.assignment_id = a.id AND r.candidate_id = m.candidate_id
        WHERE s.study_id = %s AND a.status IN ('submitted', 'surplus') AND r.id IS NULL
        AND NOT (w.erased_at IS NOT NULL AND a.status = 'surplus')""",
    "a rating is not of its assignment's worker or HIT, or lost its mark": """
        SELECT r.id
        FROM annotation_rating r
        JOIN annotation_studycandidate c ON c.id = r.candidate_id
        JOIN annotation_assignment a ON a.id = r.assignment_id
        JOIN annotation_worker w ON w.id = r.worker_id
        LEFT JOIN annotation_hitcandidate m
            ON m.hit_id = a.hit_id AND m.candidate_id = r.candidate_id
        WHERE c.study_id = %s
        AND (m.id IS NULL OR a.worker_id <> r.worker_id OR w.simulated <> r.simulated)""",
    "a worker holds two HITs of a stage": """
        SELECT a.worker_id, h.stage_id
        FROM annotation_assignment a
        JOIN annotation_hit h ON h.id = a.hit_id
        JOIN annotation_stage s ON s.id = h.stage_id
        WHERE s.study_id = %s AND a.status = 'held'
        GROUP BY 1, 2 HAVING count(*) > 1""",
    "a submission without a time, or a time without a submission": """
        SELECT a.id, a.status
        FROM annotation_assignment a
        JOIN annotation_hit h ON h.id = a.hit_id
        JOIN annotation_stage s ON s.id = h.stage_id
        WHERE s.study_id = %s
        AND ((a.status IN ('submitted', 'surplus') AND a.submitted_at IS NULL)
             OR (s.kind <> 'qualification' AND a.submitted_at IS NOT NULL
                 AND a.status NOT IN ('submitted', 'surplus')))""",
    "a HIT was given to a worker after their exclusion": """
        SELECT a.id
        FROM annotation_assignment a
        JOIN annotation_hit h ON h.id = a.hit_id
        JOIN annotation_stage s ON s.id = h.stage_id
        JOIN annotation_participation p ON p.study_id = s.study_id AND p.worker_id = a.worker_id
        WHERE s.study_id = %s AND a.started_at > least(p.excluded_at, p.withdrawn_at)""",
}

STRANDED = {
    "a HIT still wants raters": """
        SELECT h.id, h.open_slots
        FROM annotation_hit h JOIN annotation_stage s ON s.id = h.stage_id
        WHERE s.study_id = %s AND s.kind <> 'qualification' AND h.open_slots > 0""",
    "a HIT has fewer submissions than wanted": """
        SELECT h.id, h.wanted, count(a.id)
        FROM annotation_hit h
        JOIN annotation_stage s ON s.id = h.stage_id
        LEFT JOIN annotation_assignment a ON a.hit_id = h.id AND a.status = 'submitted'
        WHERE s.study_id = %s AND s.kind <> 'qualification'
        GROUP BY h.id HAVING count(a.id) <> h.wanted""",
}


def assert_invariants(study: Study) -> None:
    """No breach of what must hold at any moment."""
    _assert_none(study, NEVER)


def assert_complete(study: Study) -> None:
    """The invariants, and every HIT of an opened stage has exactly the submissions it wanted."""
    _assert_none(study, NEVER | STRANDED)


def _assert_none(study: Study, queries: dict[str, str]) -> None:
    violations: dict[str, list[Any]] = {}
    with connection.cursor() as cursor:
        for name, query in queries.items():
            cursor.execute(query, [study.pk])
            if rows := cursor.fetchmany(5):
                violations[name] = rows
    assert not violations, violations
