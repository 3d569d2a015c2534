"""URLs of stages, below a study's own."""

from django.urls import path

from annotation.stages.views import invitations, monitor, planning, sampling, stages

STUDY = "<str:slug>/"

urlpatterns = [
    path(f"{STUDY}cost/", planning.cost, name="study-cost"),
    path(f"{STUDY}preview/", planning.preview, name="study-preview"),
    path(f"{STUDY}stages/", stages.stages, name="study-stages"),
    path(f"{STUDY}stages/<str:kind>/open", stages.open_stage, name="study-open-stage"),
    path(f"{STUDY}stages/<str:kind>/close", stages.close_stage, name="study-close-stage"),
    path(f"{STUDY}monitor/", monitor.monitor, name="study-monitor"),
    path(f"{STUDY}stages/<str:kind>/pause", monitor.pause_stage, name="study-pause-stage"),
    path(f"{STUDY}stages/<str:kind>/resume", monitor.resume_stage, name="study-resume-stage"),
    path(f"{STUDY}stages/<str:kind>/top-up", stages.top_up, name="study-top-up"),
    path(f"{STUDY}links/", invitations.invitations, name="study-invitations"),
    path(f"{STUDY}links/joining", invitations.joining, name="study-joining"),
    path(f"{STUDY}sampling/", sampling.sampling, name="study-sampling"),
    path(f"{STUDY}sampling/remove", sampling.remove_sampling, name="study-remove-sampling"),
    path(f"{STUDY}sampling/continue", sampling.continue_sampling, name="study-continue-sampling"),
]
