import { describe, expect, it } from "@jest/globals";
import { judgeRelease, notesOf } from "../../release/judge-release.js";
import { unexpectedFiles } from "../../release/packed-files.js";

const CHANGELOG =
  "# Changelog\n\n## Unreleased\n\n## 1.2.0 - 2027-01-02\n\n### Added\n\n- A.\n\n## 1.1.0 - 2026-12-01\n\n- B.\n";
const RELEASE = { tag: "v1.2.0", version: "1.2.0", changelog: CHANGELOG, fixtures: ["1.1.0", "1.2.0"] };

describe("a release", () => {
  it("is made if tag, version, changelog and fixtures agree", () => {
    expect(judgeRelease(RELEASE)).toEqual([]);
    expect(judgeRelease({ ...RELEASE, changelog: CHANGELOG.replace("## Unreleased\n\n", "") })).toEqual([]);
  });

  it.each([
    [{ tag: "v1.2.1" }, /the tag v1\.2\.1/],
    [{ changelog: CHANGELOG.replace("## Unreleased\n", "## Unreleased\n\n- C.\n") }, /Unreleased/],
    [{ changelog: CHANGELOG.replace("1.2.0 -", "1.2.0-rc.1 -") }, /no section/],
    [{ fixtures: ["1.1.0"] }, /fixtures:release/],
    [{ fixtures: ["1.2.0", "unreleased"] }, /unreleased/],
  ])("is refused with %j", (change, problem) => {
    expect(judgeRelease({ ...RELEASE, ...change })).toEqual([expect.stringMatching(problem)]);
  });

  it("has as notes what its section says before the lists of changes, or else these", () => {
    expect(notesOf(CHANGELOG, "1.2.0")).toBe("### Added\n\n- A.");
    const summarized = CHANGELOG.replace("### Added", "In short.\n\n### Added");
    expect(notesOf(summarized, "1.2.0")).toBe("In short.");
  });
});

it("no file is published that the package does not need", () => {
  const needed = [
    "package.json",
    "README.md",
    "dist/index.js",
    "dist/saver-D1Rq46-5.d.cts",
    "dist/checkpoint-store/redis.cjs",
  ];
  const strays = [
    "dist/index.js.map",
    ".env",
    "src/index.ts",
    "dist/a/b.js",
    "tests/fixtures/key.pem",
    "dist/notes.md",
  ];
  expect(unexpectedFiles([...needed, ...strays])).toEqual(strays);
});
