import annotation.identities.models
import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from core.postgresql.operations import CreateModels


class Migration(migrations.Migration):

    initial = True
    # A database at the last of these migrations is at this one.
    replaces = [
        ('annotation', '0001_studies'),
        ('annotation', '0002_uploads'),
        ('annotation', '0003_graded_tests'),
        ('annotation', '0004_crowds'),
        ('annotation', '0005_members'),
        ('annotation', '0006_sealed_identities'),
        ('annotation', '0007_retention_and_consent'),
        ('annotation', '0008_workers_of_one_study'),
        ('annotation', '0009_retired_lookup_keys'),
        ('annotation', '0010_preset_version'),
        ('annotation', '0011_study_origin'),
        ('annotation', '0012_study_slugs'),
        ('annotation', '0013_crowd_names'),
        ('annotation', '0014_crowd_help_texts'),
        ('annotation', '0015_rating_help_texts'),
        ('annotation', '0016_study_help_texts'),
        ('annotation', '0017_candidate_imports'),
        ('annotation', '0018_archived_and_deleted_studies'),
        ('annotation', '0019_signed_links_only'),
        ('annotation', '0020_paused_stages'),
        ('annotation', '0021_rater_languages'),
        ('annotation', '0022_answers_to_criteria'),
        ('annotation', '0023_stage_sampling'),
        ('annotation', '0024_comparisons'),
        ('annotation', '0025_keys_and_adjudication'),
        ('annotation', '0026_pair_batches'),
        ('annotation', '0027_sampling_problem'),
        ('annotation', '0028_second_looks'),
    ]

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        CreateModels([
            migrations.CreateModel(
                name='Study',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('slug', models.CharField(max_length=80, unique=True, validators=[django.core.validators.RegexValidator('^(?!new\\Z)[a-z0-9][a-z0-9._-]{0,79}\\Z', 'Small letters, digits, periods, hyphens and underscores, a letter or digit first; not “new”.')])),
                    ('title', models.CharField(max_length=200)),
                    ('preset', models.CharField(help_text='The preset of its protocol.', max_length=40)),
                    ('preset_version', models.PositiveSmallIntegerField(default=1, help_text="The preset's version when the study was created.")),
                    ('origin', models.JSONField(blank=True, default=dict, help_text='The judgment set and items from which it was created.')),
                    ('seed', models.BigIntegerField(help_text='Seed of packing, shuffling, splitting and sampling.')),
                    ('created_at', models.DateTimeField()),
                    ('identity_days', models.PositiveSmallIntegerField(blank=True, help_text="Days after a worker's last work for which the id is stored.", null=True)),
                    ('published_at', models.DateTimeField(blank=True, null=True)),
                    ('signed_links_only', models.BooleanField(default=False, help_text='Whether raters join only by signed links.')),
                    ('rater_language', models.CharField(blank=True, help_text="Language of the raters' pages; empty: that of the rater's browser.", max_length=10)),
                    ('archived_at', models.DateTimeField(blank=True, null=True)),
                    ('deleted_at', models.DateTimeField(blank=True, null=True)),
                    ('owner', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='studies', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'verbose_name_plural': 'studies',
                    'ordering': ['-created_at'],
                },
            ),
            migrations.CreateModel(
                name='Stage',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('qualification', 'Qualification'), ('trial', 'Trial'), ('full', 'Full'), ('second-look', 'Second Look')], max_length=15)),
                    ('number', models.PositiveSmallIntegerField()),
                    ('status', models.CharField(choices=[('planned', 'Planned'), ('open', 'Open'), ('closed', 'Closed')], default='planned', max_length=10)),
                    ('opened_at', models.DateTimeField(null=True)),
                    ('closed_at', models.DateTimeField(null=True)),
                    ('paused_at', models.DateTimeField(null=True)),
                    ('opened_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='stages', to='annotation.study')),
                ],
                options={
                    'ordering': ['study', 'number'],
                    'constraints': [
                        models.UniqueConstraint(fields=('study', 'number'), name='one_stage_per_number'),
                        models.UniqueConstraint(fields=('study', 'kind'), name='one_stage_of_a_kind'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Hit',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('index', models.PositiveIntegerField()),
                    ('wanted', models.PositiveSmallIntegerField()),
                    ('open_slots', models.PositiveSmallIntegerField()),
                    ('pay_cents', models.PositiveIntegerField()),
                    ('stage', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='hits', to='annotation.stage')),
                ],
                options={
                    'ordering': ['stage', 'index'],
                    'indexes': [
                        models.Index(condition=models.Q(('open_slots__gt', 0)), fields=['stage', 'index'], name='open_hits'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('stage', 'index'), name='one_hit_per_index'),
                        models.CheckConstraint(condition=models.Q(('open_slots__lte', models.F('wanted'))), name='no_more_slots_than_wanted'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='ProtocolVersion',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('version', models.PositiveIntegerField()),
                    ('content', models.JSONField()),
                    ('created_at', models.DateTimeField()),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='protocol_versions', to='annotation.study')),
                ],
                options={
                    'ordering': ['version'],
                    'constraints': [
                        models.UniqueConstraint(fields=('study', 'version'), name='one_protocol_per_version'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Worker',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=100, unique=True)),
                    ('provider', models.CharField(default='link', max_length=40)),
                    ('identity', annotation.identities.models.SealedField(null=True)),
                    ('identity_key', models.CharField(max_length=64, null=True)),
                    ('simulated', models.BooleanField(default=False)),
                    ('created_at', models.DateTimeField()),
                    ('erased_at', models.DateTimeField(null=True)),
                    ('released_at', models.DateTimeField(null=True)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='workers', to='annotation.study')),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('study', 'provider', 'identity_key'), name='one_row_per_worker'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Participation',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('qualified', models.CharField(choices=[('not yet', 'Not Yet'), ('passed', 'Passed'), ('failed', 'Failed')], default='not yet', max_length=10)),
                    ('tries', models.PositiveSmallIntegerField(default=0)),
                    ('consented_at', models.DateTimeField(null=True)),
                    ('language', models.CharField(blank=True, help_text='The language that the worker chose.', max_length=10)),
                    ('excluded_at', models.DateTimeField(null=True)),
                    ('exclusion_reason', models.TextField(blank=True)),
                    ('withdrawn_at', models.DateTimeField(null=True)),
                    ('created_at', models.DateTimeField()),
                    ('consented_to', models.ForeignKey(help_text='The protocol version whose consent text the worker agreed to.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='consents', to='annotation.protocolversion')),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='participations', to='annotation.study')),
                    ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='participations', to='annotation.worker')),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('study', 'worker'), name='one_participation_each'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='RetiredLookupKey',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('key', annotation.identities.models.SealedField()),
                    ('fingerprint', models.CharField(max_length=32, unique=True)),
                    ('retired_at', models.DateTimeField()),
                ],
            ),
            migrations.CreateModel(
                name='Assignment',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('status', models.CharField(choices=[('held', 'Held'), ('submitted', 'Submitted'), ('expired', 'Expired'), ('returned', 'Returned'), ('surplus', 'Surplus')], default='held', max_length=10)),
                    ('seed', models.BigIntegerField(help_text='Seed of the order in which this worker sees the candidates.')),
                    ('lease_until', models.DateTimeField()),
                    ('started_at', models.DateTimeField()),
                    ('submitted_at', models.DateTimeField(null=True)),
                    ('pay_cents', models.PositiveIntegerField()),
                    ('graded', models.BooleanField(default=False, help_text='Whether this try of a qualification test was counted.')),
                    ('hit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='annotation.hit')),
                    ('protocol_version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to='annotation.protocolversion')),
                    ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='annotation.worker')),
                ],
                options={
                    'ordering': ['pk'],
                    'indexes': [
                        models.Index(condition=models.Q(('status', 'held')), fields=['lease_until'], name='held_leases'),
                        models.Index(fields=['worker', 'status'], name='a_workers_assignments'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('hit', 'worker'), name='one_hold_per_worker_and_hit'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Publication',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('provider', models.CharField(max_length=20)),
                    ('environment', models.CharField(blank=True, max_length=300)),
                    ('site', models.CharField(help_text='Base URL under which workers reach this site.', max_length=300)),
                    ('offer', models.JSONField()),
                    ('uid', models.CharField(help_text='Identifies its calls at the provider.', max_length=16, unique=True)),
                    ('status', models.CharField(choices=[('draft', 'Draft'), ('live', 'Live'), ('ended', 'Ended')], default='draft', max_length=6)),
                    ('budget_cents', models.PositiveBigIntegerField(null=True)),
                    ('provider_ids', models.JSONField(default=dict, help_text='Ids assigned by the provider, such as HIT types and tests.')),
                    ('confirmed_cents', models.PositiveBigIntegerField(null=True)),
                    ('confirmed_at', models.DateTimeField(null=True)),
                    ('problem', models.TextField(blank=True, help_text='Why its calls are paused until a person acts.')),
                    ('synced_at', models.DateTimeField(null=True)),
                    ('sync_requested_at', models.DateTimeField(null=True)),
                    ('audit', models.JSONField(help_text='The payment totals that the provider reported last.', null=True)),
                    ('created_at', models.DateTimeField()),
                    ('confirmed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                    ('stage', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='publications', to='annotation.stage')),
                ],
                options={
                    'ordering': ['-created_at'],
                    'constraints': [
                        models.UniqueConstraint(condition=models.Q(('status', 'ended'), _negated=True), fields=('stage',), name='one_crowd_at_a_time'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Listing',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('part', models.PositiveSmallIntegerField(default=1)),
                    ('places', models.PositiveIntegerField()),
                    ('pay_cents', models.PositiveIntegerField()),
                    ('key', models.CharField(help_text='Identifies it at the provider.', max_length=60, unique=True)),
                    ('provider_id', models.CharField(blank=True, max_length=100)),
                    ('expired_at', models.DateTimeField(null=True)),
                    ('hit', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='listings', to='annotation.hit')),
                    ('publication', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='listings', to='annotation.publication')),
                ],
                options={
                    'ordering': ['pk'],
                    'constraints': [
                        models.UniqueConstraint(fields=('publication', 'hit', 'part'), name='one_listing_per_part'),
                        models.UniqueConstraint(condition=models.Q(('provider_id', ''), _negated=True), fields=('publication', 'provider_id'), name='one_row_per_listing'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Message',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('question', 'Question'), ('appeal', 'Appeal'), ('withdrawal', 'Withdrawal')], default='question', max_length=12)),
                    ('text', models.TextField()),
                    ('created_at', models.DateTimeField()),
                    ('answer', models.TextField(blank=True)),
                    ('answered_at', models.DateTimeField(null=True)),
                    ('participation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='messages', to='annotation.participation')),
                ],
                options={
                    'ordering': ['created_at'],
                },
            ),
            migrations.CreateModel(
                name='CrowdAssignment',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('provider_id', models.CharField(max_length=100)),
                    ('status', models.CharField(choices=[('accepted', 'Accepted'), ('rated', 'Rated'), ('returned', 'Returned'), ('abandoned', 'Abandoned'), ('submitted', 'Submitted'), ('approved', 'Approved'), ('rejected', 'Rejected')], default='accepted', max_length=9)),
                    ('answer', annotation.identities.models.SealedField(help_text="The submission's answer as the provider reported it.", null=True)),
                    ('problem', models.CharField(blank=True, max_length=300)),
                    ('feedback', models.TextField(blank=True)),
                    ('accepted_at', models.DateTimeField(null=True)),
                    ('rated_at', models.DateTimeField(null=True)),
                    ('submitted_at', models.DateTimeField(null=True)),
                    ('auto_approval_at', models.DateTimeField(null=True)),
                    ('decided_at', models.DateTimeField(null=True)),
                    ('assignment', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='crowd_assignments', to='annotation.assignment')),
                    ('listing', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='annotation.listing')),
                    ('participation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='crowd_assignments', to='annotation.participation')),
                    ('publication', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='assignments', to='annotation.publication')),
                ],
                options={
                    'ordering': ['pk'],
                    'indexes': [
                        models.Index(fields=['publication', 'status'], name='crowd_assignment_states'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('publication', 'provider_id'), name='one_row_per_crowd_assignment'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='CrowdEvent',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('key', models.CharField(max_length=200)),
                    ('kind', models.CharField(max_length=40)),
                    ('at', models.DateTimeField()),
                    ('publication', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='annotation.publication')),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('publication', 'key'), name='one_row_per_event'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='CrowdCall',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('attempt', models.PositiveIntegerField(default=0)),
                    ('lease_until', models.DateTimeField(null=True)),
                    ('kind', models.CharField(max_length=20)),
                    ('rank', models.PositiveSmallIntegerField(default=5)),
                    ('key', models.CharField(max_length=64, unique=True)),
                    ('payload', models.JSONField(default=dict)),
                    ('cents', models.PositiveBigIntegerField(default=0)),
                    ('status', models.CharField(choices=[('waiting', 'Waiting'), ('started', 'Started'), ('done', 'Done'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='waiting', max_length=9)),
                    ('not_before', models.DateTimeField(null=True)),
                    ('first_tried_at', models.DateTimeField(null=True)),
                    ('result', models.JSONField(default=dict)),
                    ('error', models.TextField(blank=True)),
                    ('created_at', models.DateTimeField()),
                    ('done_at', models.DateTimeField(null=True)),
                    ('crowd_assignment', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='annotation.crowdassignment')),
                    ('requested_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                    ('listing', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='calls', to='annotation.listing')),
                    ('publication', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='calls', to='annotation.publication')),
                ],
                options={
                    'ordering': ['rank', 'pk'],
                    'indexes': [
                        models.Index(condition=models.Q(('status__in', ('waiting', 'started'))), fields=['publication', 'rank', 'id'], name='calls_to_make'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='StudyInstance',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('key', models.CharField(max_length=1000)),
                    ('passage', models.TextField(blank=True)),
                    ('passage_key', models.CharField(max_length=32)),
                    ('question', models.TextField(blank=True)),
                    ('references', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                    ('short_answer', models.TextField(blank=True)),
                    ('constituent', models.CharField(blank=True, max_length=500)),
                    ('split', models.CharField(blank=True, max_length=500)),
                    ('category', models.CharField(blank=True, max_length=500)),
                    ('span_based', models.BooleanField(default=False)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='instances', to='annotation.study')),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('study', 'key'), name='one_study_instance_per_key'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='StudyCandidate',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveIntegerField()),
                    ('key', models.CharField(max_length=1000)),
                    ('text', models.TextField(blank=True)),
                    ('system', models.CharField(blank=True, max_length=500)),
                    ('use', models.CharField(choices=[('rated', 'to be rated'), ('dropped', 'left out by a rule'), ('qualification', 'in the qualification test'), ('gold', 'hidden check with a known answer'), ('compared', 'shown in comparisons')], default='rated', max_length=15)),
                    ('drop_reason', models.CharField(blank=True, max_length=200)),
                    ('expected', models.IntegerField(null=True)),
                    ('expected_answers', models.JSONField(blank=True, default=dict, help_text="Correct answers to the protocol's criteria, by name.")),
                    ('pair', models.CharField(blank=True, max_length=1000)),
                    ('pair_member', models.PositiveSmallIntegerField(null=True)),
                    ('phenomenon', models.CharField(blank=True, max_length=500)),
                    ('same_as', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='copies', to='annotation.studycandidate')),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='candidates', to='annotation.study')),
                    ('instance', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='candidates', to='annotation.studyinstance')),
                ],
                options={
                    'ordering': ['position'],
                    'indexes': [
                        models.Index(fields=['study', 'pair'], name='pair_members'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('study', 'key'), name='one_study_candidate_per_key'),
                        models.UniqueConstraint(fields=('study', 'position'), name='one_per_study_position'),
                        models.UniqueConstraint(condition=models.Q(('pair', ''), _negated=True), fields=('study', 'pair', 'pair_member'), name='a_pair_has_two_members'),
                        models.CheckConstraint(condition=models.Q(models.Q(('use__in', ('qualification', 'gold')), _negated=True), ('expected__isnull', False), models.Q(('expected_answers', {}), _negated=True), _connector='OR'), name='a_check_has_an_answer'),
                        models.CheckConstraint(condition=models.Q(('same_as__isnull', True), models.Q(('same_as', models.F('id')), _negated=True), _connector='OR'), name='no_candidate_copies_itself'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Rating',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('value', models.SmallIntegerField(null=True)),
                    ('answers', models.JSONField(blank=True, default=dict, help_text="Answers to the protocol's criteria, by name.")),
                    ('shown', django.contrib.postgres.fields.ArrayField(base_field=models.PositiveSmallIntegerField(), blank=True, default=list, help_text='Order in which compared candidates were shown; empty for a single candidate.', size=None)),
                    ('comment', models.TextField(blank=True)),
                    ('seconds', models.FloatField(help_text='Time from showing the candidate to its rating.', null=True)),
                    ('simulated', models.BooleanField(default=False)),
                    ('created_at', models.DateTimeField()),
                    ('updated_at', models.DateTimeField()),
                    ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='annotation.assignment')),
                    ('candidate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='annotation.studycandidate')),
                    ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='annotation.worker')),
                ],
                options={
                    'ordering': ['created_at', 'pk'],
                    'indexes': [
                        models.Index(fields=['candidate', 'created_at'], name='a_candidates_ratings'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('worker', 'candidate'), name='no_worker_rates_a_candidate_twice'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='RatingChange',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('value', models.SmallIntegerField(null=True)),
                    ('answers', models.JSONField(blank=True, default=dict)),
                    ('comment', models.TextField(blank=True)),
                    ('at', models.DateTimeField()),
                    ('rating', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='changes', to='annotation.rating')),
                ],
                options={
                    'ordering': ['rating', 'at'],
                },
            ),
            migrations.CreateModel(
                name='SpotCheck',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('verdict', models.CharField(choices=[('open', 'Open'), ('good', 'Good'), ('poor', 'Poor')], default='open', max_length=5)),
                    ('checked_at', models.DateTimeField(null=True)),
                    ('checked_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                    ('rating', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='spot_check', to='annotation.rating')),
                ],
            ),
            migrations.CreateModel(
                name='StageSampling',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('rule', models.JSONField()),
                    ('stopping', models.JSONField()),
                    ('wave_size', models.PositiveIntegerField(help_text='Expected number of units of a wave.')),
                    ('seed', models.BigIntegerField()),
                    ('metrics', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=500), size=None)),
                    ('looks', models.JSONField(default=list)),
                    ('created_at', models.DateTimeField()),
                    ('ended_at', models.DateTimeField(null=True)),
                    ('problem', models.TextField(blank=True, help_text='Why it cannot go on; empty if it can.')),
                    ('problem_at', models.DateTimeField(null=True)),
                    ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('stage', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='sampling', to='annotation.stage')),
                ],
            ),
            migrations.CreateModel(
                name='PairBatch',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('seed', models.BigIntegerField()),
                    ('choices', models.PositiveIntegerField()),
                    ('strengths', models.JSONField()),
                    ('pairs', models.JSONField()),
                    ('is_last', models.BooleanField()),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pair_batches', to='annotation.study')),
                ],
                options={
                    'ordering': ['study', 'number'],
                    'constraints': [
                        models.UniqueConstraint(fields=('study', 'number'), name='one_pair_batch_per_number'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='LedgerStep',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField()),
                    ('content', models.JSONField(help_text='The step in the format of concord.filtering.')),
                    ('note', models.TextField(blank=True)),
                    ('active', models.BooleanField(default=True)),
                    ('made_at', models.DateTimeField()),
                    ('undone_at', models.DateTimeField(null=True)),
                    ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ledger_steps', to='annotation.study')),
                ],
                options={
                    'ordering': ['study', 'number'],
                    'constraints': [
                        models.UniqueConstraint(fields=('study', 'number'), name='one_step_per_number'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='SecondLookCandidate',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('ratings', models.PositiveSmallIntegerField()),
                    ('stage', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='second_look', to='annotation.stage')),
                    ('candidate', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='second_looks', to='annotation.studycandidate')),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('stage', 'candidate'), name='one_second_look_at_a_candidate'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='HitCandidate',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveSmallIntegerField()),
                    ('hit', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='annotation.hit')),
                    ('candidate', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='annotation.studycandidate')),
                ],
                options={
                    'ordering': ['hit', 'position'],
                    'constraints': [
                        models.UniqueConstraint(fields=('hit', 'candidate'), name='once_in_a_hit'),
                        models.UniqueConstraint(fields=('hit', 'position'), name='one_per_place_in_hit'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='ComparedCandidate',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveSmallIntegerField()),
                    ('candidate', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comparisons', to='annotation.studycandidate')),
                    ('unit', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='annotation.studycandidate')),
                ],
                options={
                    'ordering': ['unit', 'position'],
                    'constraints': [
                        models.UniqueConstraint(fields=('unit', 'position'), name='one_part_per_place'),
                        models.UniqueConstraint(fields=('unit', 'candidate'), name='a_part_once_in_a_unit'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='CandidateDraw',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('unit', models.CharField(max_length=1000)),
                    ('scores', django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(), size=None)),
                    ('probabilities', django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(), default=list, size=None)),
                    ('drawn', models.PositiveSmallIntegerField(null=True)),
                    ('sampling', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='draws', to='annotation.stagesampling')),
                    ('candidate', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='draw', to='annotation.studycandidate')),
                ],
                options={
                    'indexes': [
                        models.Index(fields=['sampling', 'unit'], name='units_of_a_sampling'),
                    ],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('drawn__isnull', True), ('probabilities__len', models.F('drawn')), _connector='OR'), name='drawn_in_the_last_of_its_waves'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Adjudication',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('criterion', models.CharField(blank=True, help_text='Name of the criterion; empty: the question.', max_length=60)),
                    ('value', models.FloatField()),
                    ('note', models.TextField(blank=True)),
                    ('made_at', models.DateTimeField()),
                    ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                    ('candidate', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='adjudications', to='annotation.studycandidate')),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('candidate', 'criterion'), name='one_adjudication_per_question'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='StudyMember',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('role', models.CharField(choices=[('viewer', 'Viewer'), ('editor', 'Editor'), ('owner', 'Owner')], max_length=10)),
                    ('since', models.DateTimeField()),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='members', to='annotation.study')),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='study_memberships', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'ordering': ['since', 'pk'],
                    'constraints': [
                        models.UniqueConstraint(fields=('study', 'user'), name='one_role_each_on_a_study'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Upload',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=200)),
                    ('format', models.CharField(max_length=40)),
                    ('use', models.CharField(max_length=20)),
                    ('content', models.BinaryField(help_text='Compressed with zlib.')),
                    ('columns', models.JSONField(null=True)),
                    ('created_at', models.DateTimeField()),
                    ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='uploads', to='annotation.study')),
                ],
                options={
                    'ordering': ['-created_at'],
                },
            ),
            migrations.CreateModel(
                name='CandidateImport',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('attempt', models.PositiveIntegerField(default=0)),
                    ('lease_until', models.DateTimeField(null=True)),
                    ('tries', models.PositiveSmallIntegerField(default=0)),
                    ('sent_at', models.DateTimeField(help_text='When a task was last sent for it.')),
                    ('status', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('complete', 'Complete'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=10)),
                    ('reason', models.TextField(blank=True, help_text='Why it failed, for people.')),
                    ('created_at', models.DateTimeField()),
                    ('finished_at', models.DateTimeField(null=True)),
                    ('actor', models.JSONField()),
                    ('name', models.CharField(max_length=200)),
                    ('span_based', models.JSONField(default=list)),
                    ('draw_questions', models.PositiveIntegerField(null=True)),
                    ('steps', models.PositiveSmallIntegerField(default=0)),
                    ('counts', models.JSONField(null=True)),
                    ('by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='candidate_imports', to='annotation.study')),
                    ('upload', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='imports', to='annotation.upload')),
                ],
                options={
                    'ordering': ['-created_at', '-pk'],
                    'constraints': [
                        models.UniqueConstraint(condition=models.Q(('status__in', ['queued', 'running'])), fields=('upload',), name='one_active_import_per_upload'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Payment',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('reward', 'Reward'), ('bonus', 'Bonus')], max_length=6)),
                    ('cents', models.PositiveBigIntegerField()),
                    ('fee_cents', models.PositiveBigIntegerField()),
                    ('reason', models.TextField(blank=True)),
                    ('at', models.DateTimeField()),
                    ('call', models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, to='annotation.crowdcall')),
                    ('crowd_assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='payments', to='annotation.crowdassignment')),
                ],
                options={
                    'ordering': ['at', 'pk'],
                    'constraints': [models.UniqueConstraint(condition=models.Q(('kind', 'reward')), fields=('crowd_assignment',), name='one_reward_each')],
                },
            ),
        ]),
        migrations.AddField(
            model_name='hit',
            name='candidates',
            field=models.ManyToManyField(related_name='hits', through='annotation.HitCandidate', to='annotation.studycandidate'),
        ),
    ]
