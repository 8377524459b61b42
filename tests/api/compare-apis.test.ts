import { describe, expect, it } from "@jest/globals";
import { type Change, compareApis, levelOf } from "../../api/compare-apis.js";
import { parseReport, writeReport } from "../../api/declarations.js";
import { unmentionedChanges } from "../../api/unmentioned-changes.js";
import { tooSmallBump } from "../../api/version-bump.js";

const BASE = [
  "// @public\nexport interface Options { readonly size?: number; }",
  "// @public\nexport interface Report { readonly rows: number; readonly hidden: Hidden; }",
  "interface Hidden { readonly a: string; }",
  "// @public\nexport class Saver { constructor(options?: Options); put(value: unknown): Report; static open(): Saver; }",
  "// @experimental\nexport function sweep(days: number): void;",
  "// @public\nexport interface Page {\n// @experimental\nreadonly graphs?: string;\nreadonly path?: string; }",
];

function declarations(blocks: readonly string[]): ReturnType<typeof parseReport>["declarations"] {
  return parseReport(`# report\n\n\`\`\`ts\n${blocks.join("\n\n")}\n\`\`\`\n`).declarations;
}

/** The changes after a text of the API was replaced, as `name.member: level`. */
function changesBy(before: string, now: string): Change[] {
  const changed = BASE.map((block) => block.replace(before, now)).filter((block) => block !== "");
  return compareApis(declarations(BASE), declarations(changed));
}

function levelsBy(before: string, now: string): string[] {
  return changesBy(before, now).map(
    ({ name, member, level }) => `${member === undefined ? name : `${name}.${member}`}: ${level}`,
  );
}

describe("the level of a change of the API", () => {
  it.each([
    ["nothing", "", "", []],
    ["a comment", "// @public\n", "// @public\n// (undocumented)\n", []],
    ["an option", "size?: number;", "size?: number; depth?: number;", ["Options.depth: minor"]],
    [
      "an option that callers must give",
      "size?: number;",
      "size?: number; depth: number;",
      ["Options.depth: major"],
    ],
    [
      "an option that callers may no longer leave out",
      "size?: number;",
      "size: number;",
      ["Options.size: major"],
    ],
    ["a field of a result", "rows: number;", "rows: number; bytes: number;", ["Report.bytes: minor"]],
    ["a result without a field", "readonly rows: number;", "", ["Report.rows: major"]],
    ["a field of what a result mentions", "a: string;", "a: number;", ["Hidden.a: major"]],
    ["a method", "static open", "get(): Report; static open", ["Saver.get: minor"]],
    ["a method less", "static open(): Saver;", "", ["Saver.static open: major"]],
    [
      "a parameter that may be left out",
      "value: unknown",
      "value: unknown, hint?: string",
      ["Saver.put: minor"],
    ],
    ["a parameter", "value: unknown", "value: unknown, hint: string", ["Saver.put: major"]],
    ["another result", "put(value: unknown): Report", "put(value: unknown): void", ["Saver.put: major"]],
    ["another parent", "class Saver", "class Saver extends Base", ["Saver: major"]],
    ["a name that is no longer exported", "export interface Report", "interface Report", ["Report: major"]],
    ["what is experimental", "days: number", "weeks: number", ["sweep: minor"]],
    ["an experimental member", "graphs?: string", "graphs?: number", ["Page.graphs: minor"]],
    ["a member beside an experimental one", "path?: string", "path?: number", ["Page.path: major"]],
    ["what is experimental no longer", "// @experimental", "// @public", []],
    [
      "what becomes experimental",
      "// @public\nexport class",
      "// @experimental\nexport class",
      ["Saver: major"],
    ],
  ])("is told for %s", (_what, before, now, expected) => {
    expect(levelsBy(before, now)).toEqual(expected);
  });

  it("is that of the worst change, and patch without any", () => {
    expect(levelOf(changesBy("", ""))).toBe("patch");
    expect(levelOf([...changesBy("size?", "depth?: 1; size?"), ...changesBy("rows: number;", "")])).toBe(
      "major",
    );
  });
});

describe("a version", () => {
  it.each([
    ["1.2.3", "1.2.4", "patch", true],
    ["1.2.3", "1.2.4", "minor", false],
    ["1.2.3", "1.3.0", "minor", true],
    ["1.2.3", "1.3.0", "major", false],
    ["1.2.3", "2.0.0", "major", true],
    ["0.2.3", "0.3.0", "major", true],
    ["0.2.3", "0.2.4", "major", false],
    ["1.2.3", "1.2.3", "major", true],
    ["1.2.3", "2.0.0-rc.1", "major", true],
  ] as const)("%s is followed by %s after a change that is %s: %s", (before, now, level, isEnough) => {
    expect(tooSmallBump(before, now, level) === undefined).toBe(isEnough);
  });
});

describe("the changelog", () => {
  it("must mention the name or the member of a change in a new line", () => {
    const changes = changesBy("size?: number;", "size?: number; depth?: number;");
    expect(unmentionedChanges(changes, "", "- `depth` bounds the search.")).toEqual([]);
    expect(unmentionedChanges(changes, "", "- `Options` has more.")).toEqual([]);
    expect(unmentionedChanges(changes, "", "- `depths`")).toEqual(changes);
    expect(unmentionedChanges(changes, "- `depth`", "- `depth`")).toEqual(changes);
  });
});

describe("a report", () => {
  it("leaves out what another one declares, unless it is exported", () => {
    const docs = new Map([["Report", "What was found."]]);
    const api = { imports: ["import { Base } from 'base';"], declarations: declarations(BASE), docs };
    const report = writeReport("a/b", api, declarations(["export interface Hidden { readonly a: string; }"]));
    expect(parseReport(report).declarations.has("Hidden")).toBe(false);
    expect(parseReport(report).declarations.has("Report")).toBe(true);
    expect(report).toContain("// What was found.\n// @public\nexport interface Report");
    expect(report).not.toContain("import");
  });
});
