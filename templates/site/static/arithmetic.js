// The arithmetic of a scorecard, written apart from the program that made the page. No document, no network.
const scorecardArithmetic = (function () {
  "use strict";
  const Z = 1.959963984540054;

  // Wilson's score interval of k passes of n tasks at 95 %.
  function wilson(k, n) {
    const d = n + Z * Z;
    const centre = (k + (Z * Z) / 2) / d;
    const half = (Z / d) * Math.sqrt((k * (n - k)) / n + (Z * Z) / 4);
    return [k === 0 ? 0 : Math.max(0, centre - half), k === n ? 1 : Math.min(1, centre + half)];
  }

  // An interval widened to so many decimals; an end that lies on the grid but for rounding errors stays.
  function roundOut(low, high, digits) {
    const grid = 10 ** digits;
    const end = (value, outward) => {
      const scaled = value * grid;
      const nearest = Math.round(scaled);
      const onGrid = Math.abs(scaled - nearest) <= 1e-9 * Math.max(1, Math.abs(scaled));
      return (onGrid ? nearest : outward(scaled)) / grid;
    };
    return [end(low, Math.floor), end(high, Math.ceil)];
  }

  // k/n in steps of 1/10^digits, halves to even, exactly.
  function steps(k, n, digits) {
    const top = BigInt(k) * 10n ** BigInt(digits);
    const whole = top / BigInt(n);
    const twice = 2n * (top % BigInt(n));
    const up = twice > BigInt(n) || (twice === BigInt(n) && whole % 2n === 1n);
    return Number(up ? whole + 1n : whole);
  }

  function rate4(k, n) {
    return steps(k, n, 4) / 10000;
  }

  // k/n with three decimals; rounding never reaches 0 or 1 where k does not.
  function showRate(k, n) {
    const found = steps(k, n, 3);
    if (found === 0 && k > 0) return "<0.001";
    if (found === 1000 && k < n) return ">0.999";
    return (found / 1000).toFixed(3);
  }

  function showBounds(low, high) {
    const ends = roundOut(low, high, 3);
    return ends[0].toFixed(3) + "\u2013" + ends[1].toFixed(3);
  }

  // The quantile numerator/denominator of pairs [value, censored]: an order statistic, or the mean of two.
  function quantile(pairs, numerator, denominator) {
    const sorted = pairs.slice().sort((a, b) => a[0] - b[0] || Number(a[1]) - Number(b[1]));
    const n = sorted.length;
    const at = numerator * n;
    const two = at % denominator === 0 && at > 0 && at < n * denominator;
    const first = two ? at / denominator - 1 : Math.min(n, Math.max(1, Math.ceil(at / denominator))) - 1;
    const chosen = two ? [sorted[first], sorted[first + 1]] : [sorted[first]];
    if (chosen.some((pair) => pair[1])) return { value: chosen[0][0], atLeast: true };
    return { value: chosen.reduce((sum, pair) => sum + pair[0], 0) / chosen.length, atLeast: false };
  }

  // A number with commas and at most two decimals. What lies exactly between two is rounded to the even one: such a
  // number is an odd multiple of 1/4 (one decimal) or 1/8 (two), since it is a whole number of halves of a step.
  function grouped(value, decimals) {
    const grid = 10 ** decimals;
    const lower = Math.floor(value * grid);
    const tie = Math.abs((value * 2 ** (decimals + 1)) % 2) === 1;
    const text = tie ? ((lower + (lower % 2)) / grid).toFixed(decimals) : value.toFixed(decimals);
    const [whole, rest] = text.split(".");
    const separated = whole.replace(/\B(?=(\d{3})+$)/g, ",");
    return rest === undefined ? separated : separated + "." + rest;
  }

  function showAmount(value) {
    return Number.isInteger(value) ? grouped(value, 0) : grouped(value, 1);
  }

  function showSeconds(value) {
    if (value > 0 && value < 0.005) return "<0.01 s";
    return grouped(value, value < 10 ? 2 : 1) + " s";
  }

  // Tasks by outcome in both slices.
  function tally(rows) {
    const counts = { ordinary: {}, negative: {} };
    for (const row of rows) counts[row.kind][row.outcome] = (counts[row.kind][row.outcome] || 0) + 1;
    return counts;
  }

  const SATISFIES = { must_pass: ["passed"], must_fail: ["failed", "refused"], must_refuse: ["refused"] };
  function nullPassed(rows) {
    return rows.filter((row) => SATISFIES[row.expected_class].includes(row.observed)).length;
  }

  // The outcome of a negative control, from its transcript.
  function negativeOutcome(transcript) {
    if (transcript.artifact || transcript.files_touched) return "invalid_completion";
    if (transcript.status === "timeout") return "timeout";
    if (transcript.status !== "ok") return "error";
    return transcript.abstained ? "abstain_ok" : "no_answer";
  }

  // The three covariates as a page prints their main values.
  function covariates(rows) {
    const known = (name) => rows.filter((row) => row[name] !== null);
    const retries = known("retries");
    const calls = known("tool_calls");
    const timed = known("wall_clock_sec");
    const none = "not recorded";
    const median = (pairs, show) => {
      if (!pairs.length) return none;
      const found = quantile(pairs, 1, 2);
      return (found.atLeast ? "\u2265 " : "") + show(found.value) + " median";
    };
    const total = grouped(retries.reduce((sum, row) => sum + row.retries, 0), 0);
    return [
      ["retries", retries.length ? total + " total" : none],
      ["tool calls", median(calls.map((row) => [row.tool_calls, false]), showAmount)],
      ["wall-clock", median(timed.map((row) => [row.wall_clock_sec, row.outcome === "timeout"]), showSeconds)],
    ];
  }

  return {
    wilson, roundOut, rate4, showRate, showBounds, quantile, showAmount, showSeconds,
    tally, nullPassed, negativeOutcome, covariates,
  };
})();
