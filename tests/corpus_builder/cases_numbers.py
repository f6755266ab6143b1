"""Cases of numbers: a stated figure that the evidence does not give."""

from __future__ import annotations

from tests.corpus_builder.registry import case
from tests.corpus_builder.site import Site


@case("count-mismatch", "bucket")
def _(site: Site) -> None:
    """The report counts the missed task as a success in its buckets only."""
    site.report(lambda value: value["counts"]["ordinary"].update(success=3, miss=0))


@case("count-mismatch", "size")
def _(site: Site) -> None:
    """The report states more ordinary tasks than it has rows."""
    site.report(lambda value: value.update(n=30))


@case("rate-mismatch", "mean")
def _(site: Site) -> None:
    """The stated mean is not that of the rows."""
    site.report(lambda value: value.update(mean=0.9667))


@case("rate-mismatch", "edited-afterwards", "evidence-mismatch")
def _(site: Site) -> None:
    """The mean was edited after the end event named the report, which does not hide that it is wrong."""
    site.replace(site.run / "report.json", '"mean":0.6667,', '"mean":0.9667,')


@case("rate-mismatch", "report-of-another-dataset", "dataset-drift")
def _(site: Site) -> None:
    """The report names another dataset than the sealed one, which does not hide that its mean is wrong."""
    site.report(lambda value: (value["digests"].update(dataset="0" * 64), value.update(mean=0.9667)))


@case("rate-mismatch", "without-transcripts", "evidence-missing")
def _(site: Site) -> None:
    """The transcripts were deleted, which does not hide that the mean is not that of the report's own rows."""
    site.report(lambda value: value.update(mean=0.9667))
    (site.run / "transcripts.jsonl").unlink()


@case("rate-mismatch", "abstention")
def _(site: Site) -> None:
    """The stated abstention accuracy is not that of the rows."""
    site.report(lambda value: value.update(abstention_accuracy=0.5))


@case("rate-rounding", "five-decimals")
def _(site: Site) -> None:
    """The stated mean has more than four decimals."""
    site.report(lambda value: value.update(mean=0.66667))


@case("rate-rounding", "cut-off")
def _(site: Site) -> None:
    """The stated mean was cut off and not rounded."""
    site.report(lambda value: value.update(mean=0.6666))


@case("interval-mismatch", "narrower")
def _(site: Site) -> None:
    """The stated interval is narrower than the sealed method's."""
    site.report(lambda value: value.update(ci95=[0.5, 0.8]))


@case("interval-mismatch", "unasked")
def _(site: Site) -> None:
    """The report states a bootstrap interval beside the sealed method's, which calls for none."""
    site.report(lambda value: value.update(bootstrap_ci95=[0.3334, 1.0]))


@case("interval-method", "chosen-afterwards")
def _(site: Site) -> None:
    """The report says that it uses another interval method than the sealed one."""
    site.report(lambda value: value.update(ci_method="clopper-pearson"))


@case("below-min-n", "stated-size", "count-mismatch")
def _(site: Site) -> None:
    """The report states fewer ordinary tasks than the protocol's floor."""
    site.report(lambda value: value.update(n=2))


@case("slice-missing", "negative")
def _(site: Site) -> None:
    """The report leaves out the counts of the negative controls."""
    site.report(lambda value: value["counts"].pop("negative"))


@case("slice-missing", "bucket")
def _(site: Site) -> None:
    """The report leaves out a bucket that is zero."""
    site.report(lambda value: value["counts"]["ordinary"].pop("timeout"))


@case("covariate-missing", "retries")
def _(site: Site) -> None:
    """The report says nothing of retries."""
    site.report(lambda value: value["covariates"].pop("retries"))


@case("covariate-missing", "all")
def _(site: Site) -> None:
    """The report has no covariates."""
    site.report(lambda value: value.pop("covariates"))


@case("covariate-mismatch", "total")
def _(site: Site) -> None:
    """The stated wall-clock is not that of the rows."""
    site.report(lambda value: value["covariates"]["wall_clock_sec"].update(total=0.1))


@case("covariate-mismatch", "zero-for-not-recorded")
def _(site: Site) -> None:
    """The transcripts did not record tool calls, but the report states zeros."""
    site.transcripts(lambda rows: [row.update(tool_calls=None) for row in rows])
    site.rebind()


@case("covariate-mismatch", "row")
def _(site: Site) -> None:
    """A row states fewer seconds than its transcript."""
    site.report(lambda value: value["tasks"][0].update(wall_clock_sec=0.01))


@case("headline-alone", "no-interval")
def _(site: Site) -> None:
    """The report states its mean without an interval."""
    site.report(lambda value: value.pop("ci95"))


@case("headline-alone", "no-other-slice")
def _(site: Site) -> None:
    """The report states task success without abstention accuracy."""
    site.report(lambda value: [value.pop(name) for name in ("abstention_accuracy", "abstention_ci95", "n_negative")])


@case("forbidden-field", "at-the-top")
def _(site: Site) -> None:
    """The report has the field that the protocol forbids."""
    site.report(lambda value: value.update(single_percentage_only=66.7))


@case("forbidden-field", "deep-down")
def _(site: Site) -> None:
    """The report has the forbidden field inside another."""
    site.report(lambda value: value["made_by"].update(single_percentage_only=True))
