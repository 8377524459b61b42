import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { NodeResult, Result, RunOptions } from "axe-core";
import type { Page } from "playwright-core";

const SOURCE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

const EVERY_RULE: RunOptions = {
  runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  // axe leaves out the only rule of WCAG 2.2 by default.
  rules: { "target-size": { enabled: true } },
  resultTypes: ["violations"],
};
const CONTRAST: RunOptions = { runOnly: { type: "rule", values: ["color-contrast"] } };

/**
 * Checks what a page shows by the rules of WCAG 2.2 A and AA and the best practices of axe, and its contrast also in the other colour
 * scheme.
 *
 * @throws Error with each rule that is broken, the elements, and what to do.
 *
 * @example
 * ```ts
 * await page.getByRole("heading", { level: 1 }).waitFor();
 * await expectAccessible(page);
 * ```
 */
export async function expectAccessible(page: Page): Promise<void> {
  // The protocol of the browser runs this, so that the page's content security policy need not allow it.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) {
    await page.evaluate(`${await readFile(SOURCE, "utf8")}; undefined`);
  }
  const found = [...(await violations(page, EVERY_RULE)), ...(await violationsOfOtherScheme(page))];
  if (found.length > 0) throw new Error(`axe has found:\n\n${found.map(describeResult).join("\n\n")}`);
}

async function violations(page: Page, options: RunOptions): Promise<Result[]> {
  return page.evaluate<Result[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
}

async function violationsOfOtherScheme(page: Page): Promise<Result[]> {
  const isDark = await page.evaluate<boolean>("matchMedia('(prefers-color-scheme: dark)').matches");
  await page.emulateMedia({ colorScheme: isDark ? "light" : "dark" });
  try {
    return await violations(page, CONTRAST);
  } finally {
    await page.emulateMedia({ colorScheme: isDark ? "dark" : "light" });
  }
}

function describeResult({ id, help, helpUrl, nodes }: Result): string {
  return [`${id}: ${help} (${helpUrl})`, ...nodes.map(describeNode)].join("\n");
}

function describeNode({ target, html, failureSummary = "" }: NodeResult): string {
  const remedy = failureSummary.replaceAll("\n", "\n    ");
  return `  ${target.join(" ")}: ${html.slice(0, 200)}\n    ${remedy}`;
}
