/** What a release is made of. */
export interface Release {
  /** The tag, such as `v1.2.3`. */
  readonly tag: string;
  /** The version in `package.json`. */
  readonly version: string;
  readonly changelog: string;
  /** The versions that left a database and a package in the tests. */
  readonly fixtures: readonly string[];
}

/**
 * Returns what keeps a release from being published, each as a sentence.
 *
 * @example
 * ```ts
 * judgeRelease({ tag: "v1.0.1", version: "1.0.0", changelog, fixtures }); // ["the tag v1.0.1 is not that of version 1.0.0"]
 * ```
 */
export function judgeRelease({ tag, version, changelog, fixtures }: Release): string[] {
  const problems: string[] = [];
  if (tag !== `v${version}`) problems.push(`the tag ${tag} is not that of version ${version}`);
  const [newest = "", ...others] = changelog.split(/^## /m).slice(1);
  const section = others.length > 0 && /^unreleased/i.test(newest) ? others[0] : newest;
  if (section !== newest && newest.trim().split("\n").length > 1)
    problems.push('CHANGELOG.md has changes under "Unreleased"');
  if (section?.startsWith(`${version} - `) !== true)
    problems.push(`CHANGELOG.md has no section "## ${version} - <date>"`);
  if (!fixtures.includes(version))
    problems.push(
      `tests/fixtures/releases has no ${version}: run \`npm run fixtures:release\` and commit the result`,
    );
  if (fixtures.includes("unreleased"))
    problems.push("tests/fixtures/releases/unreleased is that of before this release: remove it");
  return problems;
}

/**
 * Returns the notes of a release: what the changelog says of the version before its lists of changes, or these lists where it says nothing
 * before.
 */
export function notesOf(changelog: string, version: string): string {
  const section = changelog.split(/^## /m).find((text) => text.startsWith(`${version} - `)) ?? "";
  const text = section.slice(section.indexOf("\n") + 1).trim();
  const [summary = ""] = text.split(/^### /m);
  return summary.trim() === "" ? text : summary.trim();
}
