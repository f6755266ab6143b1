"""Text forms of the scorecard are whole."""

from __future__ import annotations

from sitegen.measure.scorecard import estimate
from sitegen.present.cards import badge_lines, card_forms, estimates, rate_text
from sitegen.present.summary import summarise
from sitegen.verify.verified import VerifiedUnit


def test_every_form_holds_every_part(unit: VerifiedUnit) -> None:
    for report in summarise(unit).reports:
        forms = card_forms(report)
        for text in (forms.line, "\n".join(badge_lines(report, forms))):
            for found in estimates(report.card):
                assert f"{found.text} ({found.k}/{found.n}, 95% CI {found.bounds[0]}–{found.bounds[1]}" in text
            for line in report.covariates.lines:
                assert line.value in text
            assert report.level in text
            assert f"{report.card.null_passed}/{len(report.card.null_rows)}" in text
        assert report.sha256 in forms.line
        assert report.sha256 in "".join("".join(badge_lines(report, forms)).split("sha256")[1].split())
        assert len(forms.cells) == 9


def test_a_degenerate_bootstrap_says_that_wilson_is_shown() -> None:
    assert (
        rate_text(estimate(40, 40, "bootstrap"))
        == "1.000 (40/40, 95% CI 0.912–1.000, wilson (bootstrap degenerate at k=n))"
    )
    assert "wilson" not in rate_text(estimate(20, 40, "bootstrap"))
