import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
import secrets
from django.conf import settings
from django.db import migrations, models

from core.postgresql.operations import CreateModels


# Judgment sets never change: the database refuses updates of their content.
REFUSE = """
CREATE FUNCTION benchmarks_refuse_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'judgment sets are frozen: % rows are never updated', TG_TABLE_NAME
        USING ERRCODE = 'integrity_constraint_violation',
              HINT = 'Import the change as the next version of the set.';
END $$;
"""
FROZEN = (
    *("instance", "candidate", "rating", "minimalpair", "criterion", "criterionrating", "marks"),
    *("judgedpair", "pairchoice"),
)
CONTENT = "name, version, content_hash, n_candidates, n_pairs, gold_scores, text_keys, context_keys"


def frozen(table: str, columns: str = "") -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER frozen BEFORE UPDATE {columns} ON benchmarks_{table} "
        "FOR EACH ROW EXECUTE FUNCTION benchmarks_refuse_update()",
        f"DROP TRIGGER frozen ON benchmarks_{table}",
    )


class Migration(migrations.Migration):

    initial = True
    # A database at the last of these migrations is at this one.
    replaces = [
        ('benchmarks', '0001_judgment_sets_and_runs'),
        ('benchmarks', '0002_frozen_rows'),
        ('benchmarks', '0003_analyses'),
        ('benchmarks', '0004_submissions'),
        ('benchmarks', '0005_disagreement_tags'),
        ('benchmarks', '0006_members'),
        ('benchmarks', '0007_trainings'),
        ('benchmarks', '0008_set_imports'),
        ('benchmarks', '0009_tryouts'),
        ('benchmarks', '0010_tryouts_can_be_stopped'),
        ('benchmarks', '0011_runs_have_lanes'),
        ('benchmarks', '0012_word_weights'),
        ('benchmarks', '0013_scale_may_be_blank'),
        ('benchmarks', '0014_freezings'),
        ('benchmarks', '0015_open_chunks_of_a_run'),
        ('benchmarks', '0016_import_parameters'),
        ('benchmarks', '0017_plain_help_texts'),
        ('benchmarks', '0018_plain_reasons'),
        ('benchmarks', '0019_carried_submissions'),
        ('benchmarks', '0020_table_imports'),
        ('benchmarks', '0021_criteria_and_marks'),
        ('benchmarks', '0022_criterion_statistics'),
        ('benchmarks', '0023_judge_answers'),
        ('benchmarks', '0024_model_judges'),
        ('benchmarks', '0025_candidate_sampling'),
        ('benchmarks', '0026_judged_pairs'),
        ('benchmarks', '0027_sets_of_judged_pairs'),
        ('benchmarks', '0028_second_looks'),
        ('benchmarks', '0029_judge_questions'),
        ('benchmarks', '0030_count_judge_requests'),
        ('benchmarks', '0031_what_judges_judge'),
    ]

    dependencies = [
        ('annotation', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        CreateModels([
            migrations.CreateModel(
                name='JudgmentSet',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=80, validators=[django.core.validators.RegexValidator('^[a-z0-9][a-z0-9._-]{0,79}$')])),
                    ('version', models.PositiveIntegerField()),
                    ('title', models.CharField(blank=True, max_length=500)),
                    ('description', models.TextField(blank=True)),
                    ('illustrative', models.BooleanField(default=False, help_text='An invented example: not the judgments of people.')),
                    ('source_format', models.CharField(max_length=40)),
                    ('scale_low', models.FloatField(blank=True, null=True)),
                    ('scale_high', models.FloatField(blank=True, null=True)),
                    ('content_hash', models.CharField(max_length=64)),
                    ('report', models.JSONField(default=dict, help_text='What the import read and left out.')),
                    ('statistics', models.JSONField(default=dict, help_text="The figures of MOCHA's Table 2.")),
                    ('n_candidates', models.PositiveIntegerField()),
                    ('n_pairs', models.PositiveIntegerField(default=0)),
                    ('gold_scores', models.BinaryField()),
                    ('text_keys', models.BinaryField()),
                    ('context_keys', models.BinaryField()),
                    ('created_at', models.DateTimeField()),
                    ('published_at', models.DateTimeField(blank=True, help_text='When it became public. None: only members see it.', null=True)),
                ],
                options={
                    'ordering': ['name', '-version'],
                    'base_manager_name': 'objects',
                    'constraints': [models.UniqueConstraint(fields=('name', 'version'), name='one_set_per_name_version'), models.CheckConstraint(condition=models.Q(('version__gte', 1)), name='versions_count_from_1')],
                },
            ),
            migrations.CreateModel(
                name='Instance',
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
                    ('judgment_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='instances', to='benchmarks.judgmentset')),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('judgment_set', 'key'), name='one_instance_per_key'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Candidate',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveIntegerField()),
                    ('key', models.CharField(max_length=1000)),
                    ('text', models.TextField(blank=True)),
                    ('system', models.CharField(blank=True, max_length=500)),
                    ('gold', models.FloatField(null=True)),
                    ('instance', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='candidates', to='benchmarks.instance')),
                    ('judgment_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='candidates', to='benchmarks.judgmentset')),
                ],
                options={
                    'ordering': ['position'],
                    'constraints': [
                        models.UniqueConstraint(fields=('judgment_set', 'position'), name='one_per_position'),
                        models.UniqueConstraint(fields=('judgment_set', 'key'), name='one_candidate_per_key'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Checkpoint',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=60, unique=True, validators=[django.core.validators.RegexValidator('^[a-z][a-z0-9]*(?:[-.][a-z0-9]+)*\\Z', 'Lower-case letters, digits, hyphens and periods; the first character is a letter.')])),
                    ('kind', models.CharField(max_length=40)),
                    ('card', models.JSONField()),
                    ('weights', models.BinaryField()),
                    ('weights_sha256', models.CharField(max_length=64)),
                    ('training_items', models.BinaryField(help_text='Hashes of the items it was trained on.', null=True)),
                    ('created_at', models.DateTimeField()),
                ],
                options={
                    'ordering': ['name'],
                    'base_manager_name': 'objects',
                },
            ),
            migrations.CreateModel(
                name='CandidateSampling',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('unit', models.CharField(max_length=1000)),
                    ('probabilities', django.contrib.postgres.fields.ArrayField(base_field=models.FloatField(), size=None)),
                    ('drawn', models.PositiveSmallIntegerField(null=True)),
                    ('candidate', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='sampling', to='benchmarks.candidate')),
                ],
            ),
            migrations.CreateModel(
                name='HiddenLabels',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('set_name', models.CharField(max_length=80)),
                    ('split', models.CharField(blank=True, max_length=500)),
                    ('pair_key', models.CharField(default=secrets.token_hex, max_length=64)),
                    ('created_at', models.DateTimeField()),
                ],
                options={
                    'verbose_name_plural': 'hidden labels',
                    'ordering': ['set_name', 'split'],
                    'constraints': [models.UniqueConstraint(fields=('set_name', 'split'), name='labels_are_hidden_once')],
                },
            ),
            migrations.CreateModel(
                name='JudgedPair',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveIntegerField()),
                    ('key', models.CharField(max_length=1000)),
                    ('phenomenon', models.CharField(blank=True, max_length=500)),
                    ('set_key', models.CharField(blank=True, default='', max_length=1000)),
                    ('candidate1', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pairs_as_first', to='benchmarks.candidate')),
                    ('candidate2', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pairs_as_second', to='benchmarks.candidate')),
                    ('judgment_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='judged_pairs', to='benchmarks.judgmentset')),
                ],
                options={
                    'ordering': ['position'],
                    'constraints': [
                        models.UniqueConstraint(fields=('judgment_set', 'position'), name='one_judged_pair_per_position'),
                        models.UniqueConstraint(fields=('judgment_set', 'key'), name='one_judged_pair_per_key'),
                        models.CheckConstraint(condition=models.Q(('candidate1', models.F('candidate2')), _negated=True), name='a_pair_has_two_candidates'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Freezing',
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
                    ('aggregation', models.CharField(max_length=20)),
                    ('stages', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=20), size=None)),
                    ('name', models.CharField(max_length=80, validators=[django.core.validators.RegexValidator('^[a-z0-9][a-z0-9._-]{0,79}\\Z')])),
                    ('is_preview', models.BooleanField(default=False)),
                    ('steps', models.PositiveSmallIntegerField(default=0)),
                    ('preview', models.JSONField(null=True)),
                    ('by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='freezings', to='annotation.study')),
                    ('judgment_set', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='benchmarks.judgmentset')),
                ],
                options={
                    'ordering': ['-created_at', '-pk'],
                    'constraints': [
                        models.UniqueConstraint(condition=models.Q(('status__in', ['queued', 'running'])), fields=('study', 'aggregation', 'stages', 'name', 'is_preview'), name='one_active_freezing_per_choices'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Criterion',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveSmallIntegerField()),
                    ('name', models.CharField(max_length=500)),
                    ('scale_low', models.FloatField(null=True)),
                    ('scale_high', models.FloatField(null=True)),
                    ('gold_scores', models.BinaryField()),
                    ('judgment_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='criteria', to='benchmarks.judgmentset')),
                ],
                options={
                    'verbose_name_plural': 'criteria',
                    'ordering': ['position'],
                    'base_manager_name': 'objects',
                    'constraints': [
                        models.UniqueConstraint(fields=('judgment_set', 'name'), name='one_criterion_per_name'),
                        models.UniqueConstraint(fields=('judgment_set', 'position'), name='one_criterion_per_position'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Analysis',
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
                    ('kind', models.CharField(max_length=40)),
                    ('parameters', models.JSONField()),
                    ('runs', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                    ('fingerprint', models.CharField(max_length=64)),
                    ('done', models.PositiveIntegerField(default=0)),
                    ('total', models.PositiveIntegerField(default=0)),
                    ('result', models.JSONField(null=True)),
                    ('seconds', models.FloatField(default=0.0)),
                    ('judgment_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='analyses', to='benchmarks.judgmentset')),
                ],
                options={
                    'verbose_name_plural': 'analyses',
                    'ordering': ['created_at', 'pk'],
                    'indexes': [
                        models.Index(fields=['status', 'lease_until', 'sent_at'], name='open_analyses'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('judgment_set', 'fingerprint'), name='one_analysis_per_fingerprint'),
                        models.CheckConstraint(condition=models.Q(models.Q(('status', 'complete'), _negated=True), ('result__isnull', False), _connector='OR'), name='a_complete_analysis_has_a_result'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Marks',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveSmallIntegerField()),
                    ('worker', models.CharField(max_length=500)),
                    ('group', models.CharField(blank=True, max_length=500)),
                    ('simulated', models.BooleanField(default=False)),
                    ('spans', models.JSONField()),
                    ('candidate', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='marks', to='benchmarks.candidate')),
                ],
                options={
                    'verbose_name_plural': 'marks',
                    'ordering': ['candidate', 'position'],
                    'constraints': [
                        models.UniqueConstraint(fields=('candidate', 'group', 'worker'), name='one_worker_marks_once'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Submission',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('scores', 'uploaded scores'), ('judgments', 'stored judgments of a judge'), ('entry-point', 'Python entry point'), ('endpoint', 'HTTP endpoint')], max_length=20)),
                    ('name', models.CharField(max_length=80, validators=[django.core.validators.RegexValidator('^[^\\W_][\\w .+@#&-]{0,79}\\Z')])),
                    ('link', models.URLField(blank=True, max_length=500)),
                    ('authors', models.CharField(blank=True, max_length=500)),
                    ('note', models.TextField(blank=True, max_length=4000)),
                    ('higher_is_better', models.BooleanField(default=True)),
                    ('source', models.CharField(blank=True, help_text="The endpoint's URL or the entry point's name.", max_length=2000)),
                    ('digest', models.CharField(help_text='SHA-256 of the scores, or of the source that computes them.', max_length=64)),
                    ('created_at', models.DateTimeField()),
                    ('published_at', models.DateTimeField(null=True)),
                    ('withdrawn_at', models.DateTimeField(null=True)),
                    ('judged', models.CharField(choices=[('candidates', 'Candidates'), ('minimal pairs', 'Minimal Pairs'), ('judged pairs', 'pairs that people judged')], default='candidates', help_text='Of the kind judgments: what the judge was asked about.', max_length=20)),
                    ('left_out_split', models.CharField(blank=True, help_text="The split of a judge's examples, whose candidates it does not judge.", max_length=500)),
                    ('choice_scores', models.BinaryField(help_text='Of a judge of judged pairs: the scores of their members, NaN for invalid answers. Its run has scores of no item.', null=True)),
                    ('known_scores', models.BinaryField(help_text="Of a carried submission that lacks scores: those it has, NaN for the others; of a judge of pairs, only those of the pairs' members.", null=True)),
                    ('carried_from', models.ForeignKey(help_text='The same metric on an earlier version, from which its scores were taken.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='benchmarks.submission')),
                    ('judgment_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='submissions', to='benchmarks.judgmentset')),
                    ('owner', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='submissions', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'ordering': ['-created_at', '-pk'],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('owner__isnull', False), ('published_at__isnull', False), _connector='OR'), name='what_is_nobodys_is_public'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='MetricRun',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('metric', models.CharField(max_length=200)),
                    ('lane', models.CharField(choices=[('light', 'Light'), ('encoder', 'Encoder'), ('external', 'External')], default='light', help_text='The workers that score it.', max_length=10)),
                    ('cost', models.FloatField(default=0.0, help_text='Estimated seconds per item; cheap runs come first.')),
                    ('served_at', models.DateTimeField(help_text='When a chunk of it was last claimed.', null=True)),
                    ('multi_ref', models.CharField(max_length=10)),
                    ('signature', models.CharField(max_length=500)),
                    ('status', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('complete', 'Complete'), ('failed', 'Failed'), ('cancelled', 'Cancelled')], default='queued', max_length=10)),
                    ('reason', models.TextField(blank=True, help_text='Why the run failed, for people.')),
                    ('n_items', models.PositiveIntegerField()),
                    ('n_known', models.PositiveIntegerField(default=0, help_text='Scores taken from earlier runs.')),
                    ('n_computed', models.PositiveIntegerField(default=0)),
                    ('seconds', models.FloatField(default=0.0, help_text='Time spent scoring, over all chunks.')),
                    ('device', models.CharField(default='cpu', max_length=40)),
                    ('known_scores', models.BinaryField(null=True)),
                    ('scores', models.BinaryField(null=True)),
                    ('statistics', models.JSONField(null=True)),
                    ('created_at', models.DateTimeField()),
                    ('started_at', models.DateTimeField(null=True)),
                    ('finished_at', models.DateTimeField(null=True)),
                    ('judgment_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='runs', to='benchmarks.judgmentset')),
                    ('submission', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='run', to='benchmarks.submission')),
                ],
                options={
                    'ordering': ['created_at', 'pk'],
                    'base_manager_name': 'objects',
                    'indexes': [
                        models.Index(condition=models.Q(('status__in', ['queued', 'running'])), fields=['lane'], name='active_runs_of_a_lane'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('judgment_set', 'signature'), name='one_run_per_signature'),
                        models.CheckConstraint(condition=models.Q(models.Q(('status', 'complete'), _negated=True), ('scores__isnull', False), _connector='OR'), name='a_complete_run_has_scores'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='DisagreementTag',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('reason', models.CharField(choices=[('unit', 'gives weight to the unit, not the number'), ('weights', 'gives weight to the wrong words'), ('vague', 'the answer has no keyphrase'), ('same meaning', 'misses a paraphrase'), ('opposite', 'treats an opposite as the same'), ('passage', 'only the passage shows who is right'), ('reference', 'the reference is wrong or too narrow'), ('people', 'people seem to be wrong'), ('other', 'something else')], max_length=20)),
                    ('note', models.CharField(blank=True, max_length=500)),
                    ('created_at', models.DateTimeField()),
                    ('candidate', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tags', to='benchmarks.candidate')),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('other', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='tags_against', to='benchmarks.metricrun')),
                    ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tags', to='benchmarks.metricrun')),
                ],
                options={
                    'ordering': ['created_at', 'pk'],
                    'constraints': [
                        models.UniqueConstraint(fields=('candidate', 'run', 'other', 'reason', 'user'), name='one_tag_per_reason_and_person', nulls_distinct=False),
                        models.CheckConstraint(condition=models.Q(models.Q(('reason', 'other'), _negated=True), models.Q(('note', ''), _negated=True), _connector='OR'), name='something_else_is_said'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='CriterionStatistics',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('statistics', models.JSONField()),
                    ('criterion', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='statistics', to='benchmarks.criterion')),
                    ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='criterion_statistics', to='benchmarks.metricrun')),
                ],
                options={
                    'verbose_name_plural': 'criterion statistics',
                    'constraints': [
                        models.UniqueConstraint(fields=('run', 'criterion'), name='one_row_per_run_and_criterion'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='MinimalPair',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveIntegerField()),
                    ('key', models.CharField(max_length=1000)),
                    ('candidate1', models.TextField(blank=True)),
                    ('score1', models.FloatField()),
                    ('candidate2', models.TextField(blank=True)),
                    ('score2', models.FloatField()),
                    ('phenomenon', models.CharField(blank=True, max_length=500)),
                    ('instance', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pairs', to='benchmarks.instance')),
                    ('judgment_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='pairs', to='benchmarks.judgmentset')),
                ],
                options={
                    'ordering': ['position'],
                    'constraints': [
                        models.UniqueConstraint(fields=('judgment_set', 'position'), name='one_pair_per_place'),
                        models.UniqueConstraint(fields=('judgment_set', 'key'), name='one_pair_per_key'),
                        models.CheckConstraint(condition=models.Q(('score1__gt', models.F('score2'))), name='the_first_is_better'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='ModelJudge',
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
                    ('name', models.CharField(max_length=80, validators=[django.core.validators.RegexValidator('^[^\\W_][\\w .+@#&-]{0,79}\\Z')])),
                    ('endpoint', models.URLField(blank=True, max_length=500)),
                    ('model', models.CharField(max_length=200)),
                    ('sealed_key', models.TextField(blank=True)),
                    ('template_name', models.CharField(max_length=40)),
                    ('template', models.TextField(max_length=20000)),
                    ('examples', models.TextField(blank=True)),
                    ('judged', models.CharField(choices=[('candidates', 'Candidates'), ('minimal pairs', 'Minimal Pairs'), ('judged pairs', 'pairs that people judged')], default='candidates', max_length=20)),
                    ('shots', models.PositiveSmallIntegerField(default=0)),
                    ('train_split', models.CharField(blank=True, max_length=500)),
                    ('seed', models.BigIntegerField(default=0)),
                    ('low', models.IntegerField()),
                    ('high', models.IntegerField()),
                    ('temperature', models.FloatField(default=0.0)),
                    ('max_completion', models.PositiveIntegerField()),
                    ('logprobs', models.BooleanField(default=True)),
                    ('json_schema', models.BooleanField(default=False)),
                    ('repeats', models.PositiveSmallIntegerField(default=1)),
                    ('probes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=20), default=list, size=None)),
                    ('threads', models.PositiveSmallIntegerField(default=4)),
                    ('prompt_price', models.FloatField(default=0.0)),
                    ('completion_price', models.FloatField(default=0.0)),
                    ('max_tokens', models.PositiveBigIntegerField()),
                    ('max_cost', models.FloatField(null=True)),
                    ('spent_prompt', models.PositiveBigIntegerField(default=0)),
                    ('spent_completion', models.PositiveBigIntegerField(default=0)),
                    ('n_requests', models.PositiveIntegerField(default=0)),
                    ('most_prompt_tokens', models.PositiveBigIntegerField(default=0)),
                    ('answered_model', models.CharField(blank=True, max_length=200)),
                    ('comparison', models.JSONField(null=True)),
                    ('confirmed_at', models.DateTimeField(null=True)),
                    ('judgment_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='model_judges', to='benchmarks.judgmentset')),
                    ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='model_judges', to=settings.AUTH_USER_MODEL)),
                    ('previous', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='next_versions', to='benchmarks.modeljudge')),
                    ('submission', models.OneToOneField(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='benchmarks.submission')),
                ],
                options={
                    'ordering': ['-created_at', '-pk'],
                    'indexes': [
                        models.Index(condition=models.Q(('confirmed_at__isnull', False), ('status__in', ['queued', 'running'])), fields=['lease_until', 'sent_at'], name='open_model_judges'),
                    ],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(('max_tokens__gte', django.db.models.expressions.CombinedExpression(models.F('spent_prompt'), '+', models.F('spent_completion')))), name='a_budget_of_tokens_is_not_exceeded'),
                        models.CheckConstraint(condition=models.Q(('high__gt', models.F('low'))), name='a_scale_rises'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='ModelAnswer',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('variant', models.CharField(blank=True, max_length=20)),
                    ('position', models.PositiveIntegerField()),
                    ('repeat', models.PositiveSmallIntegerField()),
                    ('score', models.FloatField(null=True)),
                    ('label', models.IntegerField(null=True)),
                    ('spans', models.JSONField(default=list)),
                    ('reason', models.TextField(blank=True)),
                    ('raw', models.TextField(blank=True)),
                    ('model', models.CharField(blank=True, max_length=200)),
                    ('prompt_tokens', models.PositiveIntegerField()),
                    ('most_prompt_tokens', models.PositiveIntegerField(default=0)),
                    ('completion_tokens', models.PositiveIntegerField()),
                    ('seconds', models.FloatField()),
                    ('content', models.CharField(blank=True, max_length=64)),
                    ('answered_at', models.DateTimeField()),
                    ('judge', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='benchmarks.modeljudge')),
                ],
                options={
                    'ordering': ['judge', 'variant', 'position', 'repeat'],
                    'indexes': [
                        models.Index(condition=models.Q(('content', ''), _negated=True), fields=['content'], name='model_answers_by_content'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('judge', 'variant', 'position', 'repeat'), name='one_model_answer_per_question'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='PairChoice',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveSmallIntegerField()),
                    ('worker', models.CharField(max_length=500)),
                    ('group', models.CharField(blank=True, max_length=500)),
                    ('choice', models.PositiveSmallIntegerField()),
                    ('first_shown', models.PositiveSmallIntegerField(null=True)),
                    ('is_hard', models.BooleanField(default=False)),
                    ('simulated', models.BooleanField(default=False)),
                    ('pair', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='choices', to='benchmarks.judgedpair')),
                ],
                options={
                    'ordering': ['pair', 'position'],
                    'constraints': [
                        models.UniqueConstraint(fields=('pair', 'group', 'worker'), name='one_choice_per_worker'),
                        models.CheckConstraint(condition=models.Q(('choice__in', [0, 1, 2])), name='a_choice_or_a_tie'),
                        models.CheckConstraint(condition=models.Q(('first_shown__isnull', True), ('first_shown__in', [1, 2]), _connector='OR'), name='one_of_two_is_shown_first'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Rating',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveSmallIntegerField()),
                    ('worker', models.CharField(max_length=500)),
                    ('group', models.CharField(blank=True, max_length=500)),
                    ('value', models.FloatField()),
                    ('simulated', models.BooleanField(default=False)),
                    ('candidate', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ratings', to='benchmarks.candidate')),
                ],
                options={
                    'ordering': ['candidate', 'position'],
                    'constraints': [
                        models.UniqueConstraint(fields=('candidate', 'group', 'worker'), name='one_rating_per_worker'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='RunChunk',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('attempt', models.PositiveIntegerField(default=0)),
                    ('lease_until', models.DateTimeField(null=True)),
                    ('tries', models.PositiveSmallIntegerField(default=0)),
                    ('sent_at', models.DateTimeField(help_text='When a task was last sent for it.')),
                    ('index', models.PositiveIntegerField()),
                    ('status', models.CharField(choices=[('queued', 'Queued'), ('running', 'Running'), ('done', 'Done')], default='queued', max_length=10)),
                    ('n_items', models.PositiveIntegerField()),
                    ('positions', models.BinaryField()),
                    ('scores', models.BinaryField(null=True)),
                    ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='chunks', to='benchmarks.metricrun')),
                ],
                options={
                    'ordering': ['run', 'index'],
                    'indexes': [
                        models.Index(fields=['status', 'lease_until', 'sent_at'], name='open_chunks'),
                        models.Index(condition=models.Q(('status', 'done'), _negated=True), fields=['run', 'index'], name='open_chunks_of_a_run'),
                    ],
                    'constraints': [
                        models.UniqueConstraint(fields=('run', 'index'), name='one_chunk_per_index'),
                        models.CheckConstraint(condition=models.Q(models.Q(('status', 'done'), _negated=True), ('scores__isnull', False), _connector='OR'), name='a_done_chunk_has_scores'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='SecondLook',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('ratings', models.PositiveSmallIntegerField()),
                    ('signature', models.TextField()),
                    ('created_at', models.DateTimeField()),
                    ('made_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('run', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='second_look', to='benchmarks.metricrun')),
                    ('stage', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='annotation.stage')),
                ],
            ),
            migrations.CreateModel(
                name='SecondLookItem',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('grade', models.FloatField()),
                    ('gold', models.FloatField()),
                    ('candidate', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='second_looks', to='benchmarks.candidate')),
                    ('look', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='benchmarks.secondlook')),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('look', 'candidate'), name='one_item_per_candidate'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='SetImport',
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
                    ('name', models.CharField(max_length=80, validators=[django.core.validators.RegexValidator('^[a-z0-9][a-z0-9._-]{0,79}\\Z')])),
                    ('format', models.CharField(max_length=40)),
                    ('parameters', models.JSONField()),
                    ('files', models.JSONField()),
                    ('rows', models.PositiveIntegerField(default=0, help_text='Candidates and pairs read so far.')),
                    ('bytes_read', models.PositiveBigIntegerField(default=0)),
                    ('bytes_total', models.PositiveBigIntegerField()),
                    ('problem', models.CharField(blank=True, max_length=40)),
                    ('faults', models.JSONField(default=list)),
                    ('table', models.JSONField(null=True)),
                    ('by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='set_imports', to=settings.AUTH_USER_MODEL)),
                    ('judgment_set', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='imports', to='benchmarks.judgmentset')),
                ],
                options={
                    'ordering': ['-created_at', '-pk'],
                    'indexes': [
                        models.Index(condition=models.Q(('status__in', ['queued', 'running'])), fields=['lease_until', 'sent_at'], name='open_set_imports'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='SetImportPart',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('file', models.PositiveSmallIntegerField()),
                    ('position', models.PositiveIntegerField()),
                    ('content', models.BinaryField()),
                    ('set_import', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='benchmarks.setimport')),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('set_import', 'file', 'position'), name='one_part_per_position'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='SetMember',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('set_name', models.CharField(max_length=80)),
                    ('role', models.CharField(choices=[('viewer', 'Viewer'), ('editor', 'Editor'), ('owner', 'Owner')], max_length=10)),
                    ('since', models.DateTimeField()),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='set_memberships', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'ordering': ['since', 'pk'],
                    'constraints': [
                        models.UniqueConstraint(fields=('set_name', 'user'), name='one_role_each_on_a_set'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='JudgeAnswer',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('probe', models.CharField(blank=True, max_length=20)),
                    ('position', models.PositiveIntegerField()),
                    ('repeat', models.PositiveIntegerField()),
                    ('score', models.FloatField(null=True)),
                    ('reason', models.TextField(blank=True)),
                    ('raw', models.TextField(blank=True)),
                    ('model', models.CharField(blank=True, max_length=200)),
                    ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='answers', to='benchmarks.submission')),
                ],
                options={
                    'ordering': ['submission', 'probe', 'position', 'repeat'],
                    'constraints': [
                        models.UniqueConstraint(fields=('submission', 'probe', 'position', 'repeat'), name='one_answer_per_repeat'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='Training',
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
                    ('name', models.CharField(max_length=60, unique=True, validators=[django.core.validators.RegexValidator('^[a-z][a-z0-9]*(?:[-.][a-z0-9]+)*\\Z', 'Lower-case letters, digits, hyphens and periods; the first character is a letter.')])),
                    ('kind', models.CharField(max_length=40)),
                    ('choices', models.JSONField()),
                    ('curves', models.JSONField(default=list)),
                    ('step', models.PositiveIntegerField(default=0)),
                    ('steps', models.PositiveIntegerField(default=0)),
                    ('seconds', models.FloatField(default=0.0)),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='trainings', to=settings.AUTH_USER_MODEL)),
                    ('checkpoint', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='training', to='benchmarks.checkpoint')),
                    ('judgment_sets', models.ManyToManyField(blank=True, related_name='trainings', to='benchmarks.judgmentset')),
                ],
                options={
                    'ordering': ['-created_at', '-pk'],
                    'indexes': [
                        models.Index(fields=['status', 'lease_until', 'sent_at'], name='open_trainings'),
                    ],
                    'constraints': [
                        models.CheckConstraint(condition=models.Q(models.Q(('status', 'complete'), _negated=True), ('checkpoint__isnull', False), _connector='OR'), name='a_complete_training_has_a_checkpoint'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='TrainingFile',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('role', models.CharField(choices=[('data', 'Data'), ('state', 'State')], max_length=10)),
                    ('path', models.CharField(max_length=300)),
                    ('content', models.BinaryField()),
                    ('training', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='files', to='benchmarks.training')),
                ],
                options={
                    'constraints': [
                        models.UniqueConstraint(fields=('training', 'role', 'path'), name='one_training_file_per_path'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='TryOut',
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
                    ('texts', models.JSONField()),
                    ('metrics', models.JSONField()),
                    ('scores', models.JSONField(default=list)),
                    ('weights', models.JSONField(null=True)),
                    ('by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tryouts', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'ordering': ['-created_at', '-pk'],
                    'indexes': [
                        models.Index(condition=models.Q(('status__in', ['queued', 'running'])), fields=['lease_until', 'sent_at'], name='open_tryouts'),
                    ],
                },
            ),
            migrations.CreateModel(
                name='WordWeights',
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
                    ('computed_by', models.CharField(max_length=64)),
                    ('steps', models.PositiveSmallIntegerField(default=0)),
                    ('maps', models.JSONField(null=True)),
                    ('candidate', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='word_weights', to='benchmarks.candidate')),
                ],
                options={
                    'abstract': False,
                },
            ),
            migrations.CreateModel(
                name='CriterionRating',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('position', models.PositiveSmallIntegerField()),
                    ('worker', models.CharField(max_length=500)),
                    ('group', models.CharField(blank=True, max_length=500)),
                    ('value', models.FloatField()),
                    ('simulated', models.BooleanField(default=False)),
                    ('candidate', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='criterion_ratings', to='benchmarks.candidate')),
                    ('criterion', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ratings', to='benchmarks.criterion')),
                ],
                options={
                    'ordering': ['candidate', 'criterion', 'position'],
                    'constraints': [models.UniqueConstraint(fields=('candidate', 'criterion', 'group', 'worker'), name='one_rating_per_worker_and_criterion')],
                },
            ),
        ]),
        migrations.RunSQL(REFUSE, "DROP FUNCTION benchmarks_refuse_update()"),
        *(frozen(table) for table in FROZEN),
        frozen("judgmentset", f"OF {CONTENT}"),
        # Parts of an import are stored for minutes and read once: they are not compressed.
        migrations.RunSQL(
            "ALTER TABLE benchmarks_setimportpart ALTER COLUMN content SET STORAGE EXTERNAL",
            migrations.RunSQL.noop,
        ),
    ]
