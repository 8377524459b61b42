import { parser } from "@prometheus-io/lezer-promql";

/** A series of a scrape, by its labels. `__name__` is its name. */
export type Series = ReadonlyMap<string, string>;

/** What a query of Prometheus refers to. */
export interface QueriedNames {
  /** What each selector asks of the labels of a series. */
  readonly selectors: readonly { readonly text: string; readonly matches: (series: Series) => boolean }[];
  /** The labels that it groups by. */
  readonly grouped: readonly string[];
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? [^ ]+$/gm;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;
const UNIT = /^# UNIT (\w+) (\w+)$/gm;
/** What a collector appends to the name of a metric, by its unit. */
const SUFFIXES: Readonly<Record<string, string>> = { s: "_seconds", By: "_bytes" };

/** The series of a scrape in Prometheus's text format. */
export function seriesIn(scrape: string): Series[] {
  return [...scrape.matchAll(LINE)].map(
    ([, name = "", labels = ""]) =>
      new Map([
        ["__name__", name],
        ...[...labels.matchAll(LABEL)].map(([, label = "", value = ""]) => [label, value] as const),
      ]),
  );
}

/** The same scrape with the names that a collector gives to metrics with a unit. */
export function asCollectorNames(scrape: string): string {
  return [...scrape.matchAll(UNIT)].reduce((text, [, name = "", unit = ""]) => {
    const suffix = SUFFIXES[unit] ?? "";
    return name.endsWith(suffix)
      ? text
      : text.replaceAll(new RegExp(`^${name}(?=[_{ ])`, "gm"), name + suffix);
  }, scrape);
}

/** Reads a query. One that Prometheus would refuse is an error. */
export function namesIn(query: string): QueriedNames {
  const textOf = ({ from, to }: { readonly from: number; readonly to: number }): string =>
    query.slice(from, to);
  const selectors: QueriedNames["selectors"][number][] = [];
  const grouped: string[] = [];
  parser.parse(query).iterate({
    enter: (node) => {
      if (node.type.isError) throw new Error(`no query of Prometheus: ${query} at ${node.from}`);
      if (node.name === "GroupingLabels")
        grouped.push(...node.node.getChildren("LabelName").map((label) => textOf(label)));
      if (node.name !== "VectorSelector") return;
      const name = node.node.getChild("Identifier");
      const matchers = node.node.getChild("LabelMatchers")?.getChildren("UnquotedLabelMatcher") ?? [];
      const conditions = [
        ...(name === null ? [] : [conditionOf("__name__", "=", textOf(name))]),
        ...matchers.map((matcher) => {
          const [label = "", operator = "", value = ""] =
            /^(\w+)\s*([=!~]+)\s*"(.*)"$/.exec(textOf(matcher))?.slice(1) ?? [];
          return conditionOf(label, operator, value);
        }),
      ];
      selectors.push({
        text: textOf(node),
        matches: (series) => conditions.every((condition) => condition(series)),
      });
    },
  });
  return { selectors, grouped };
}

/** A condition on a label. Prometheus treats one that is missing as empty, and anchors patterns at both ends. */
function conditionOf(label: string, operator: string, value: string): (series: Series) => boolean {
  const isExact = operator === "=" || operator === "!=";
  const pattern = new RegExp(`^(?:${value})$`);
  const isWanted = !operator.startsWith("!");
  return (series) => {
    const found = series.get(label) ?? "";
    return (isExact ? found === value : pattern.test(found)) === isWanted;
  };
}
