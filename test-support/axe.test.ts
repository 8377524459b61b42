import { expect, it } from "@jest/globals";
import { expectAccessible } from "./axe.js";
import { describeInBrowser } from "./browser.js";

// As strict as the inspector's own policy, where a script could not be loaded.
const POLICY = `<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline';
  require-trusted-types-for 'script'; trusted-types 'none'">`;
const DARK_ON_DARK = "<style>@media (prefers-color-scheme: dark) { body { background: #222 } }</style>";

describeInBrowser("axe", (browser) => {
  const open = (head: string, main: string) =>
    browser.openPage(
      `data:text/html,${encodeURIComponent(
        `<!doctype html><html lang="en"><title>Page</title>${POLICY}${head}<main><h1>Page</h1>${main}</main></html>`,
      )}`,
    );

  it("accepts a page, and says what is wrong with another one", async () => {
    await expectAccessible(await open("", "<p>text</p>"));
    await expect(expectAccessible(await open("", "<input>"))).rejects.toThrow(
      /label: .*elements must have labels[^]*input/,
    );
  });

  it("finds a contrast that is too low in the dark scheme only, and leaves the page in its own", async () => {
    const page = await open(DARK_ON_DARK, "<p>text</p>");
    await expect(expectAccessible(page)).rejects.toThrow("color-contrast");
    expect(await page.evaluate("matchMedia('(prefers-color-scheme: light)').matches")).toBe(true);
  });
});
