import type { Page } from "playwright-core";

/** Opens what is folded: values of trees, details, tabs. */
export async function unfoldAll(page: Page, untilQuiet: () => Promise<void>): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    const opened = await page.evaluate(() => {
      const folded = [
        ...document.querySelectorAll<HTMLElement>(
          "main [aria-expanded=false], main details:not([open]) > summary",
        ),
      ];
      for (const element of folded.slice(0, 20)) element.click();
      return folded.length;
    });
    if (opened === 0) return;
    await untilQuiet();
  }
}

/** Finds what a stored text has become that is not text, and what it has done. */
export function findIntrusions(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const { origin } = location;
    const own = (url: string): boolean => new URL(url, document.baseURI).origin === origin;
    for (const element of document.querySelectorAll("*")) {
      const name = element.localName;
      if (/^(?:img|iframe|object|embed|video|audio|style|base|foreignobject|math|template|frame)$/.test(name))
        found.push(`<${name}>`);
      if (name === "script" && (element.textContent !== "" || !own(element.getAttribute("src") ?? "x:")))
        found.push("<script>");
      if (name === "meta" && element.hasAttribute("http-equiv")) found.push("<meta http-equiv>");
      for (const { name: attribute, value } of element.attributes) {
        if (attribute.startsWith("on") || attribute === "srcdoc") found.push(`${name} ${attribute}`);
        const isAddress = /^(?:href|src|action|formaction|xlink:href|data|poster)$/.test(attribute);
        if (isAddress && !own(value) && !isLinkAway(element)) found.push(`${name} ${attribute}=${value}`);
      }
    }
    if ("attacked" in globalThis) found.push("a script has run");
    if ("attacked" in {}) found.push("a prototype has been changed");
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth)
      found.push(`the page is ${scrollWidth - clientWidth} px wider than the window`);
    return [...new Set([...found, ...reordered()])];

    /** The texts with bidi characters that can change the order of what is around them. */
    function reordered(): string[] {
      const texts: string[] = [];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
        const text = node.textContent ?? "";
        // A browser draws each option by itself.
        if (node.parentElement?.localName === "option") continue;
        if (!/[\u202a-\u202e\u2066-\u2069]/.test(text) || node.parentElement === null) continue;
        let around: Element | null = node.parentElement;
        while (around !== null && !/isolate|plaintext/.test(getComputedStyle(around).unicodeBidi))
          around = around.parentElement;
        const others = (around?.textContent ?? "").replace(text, "").trim();
        if (around === null || (around.localName !== "bdi" && others !== "" && !isSearchMark(around)))
          texts.push(
            `bidi characters reorder ${node.parentElement.localName}.${node.parentElement.className}`,
          );
      }
      return texts;
    }

    /** A text whose parts are marked is still one text. So is one that is shown as Markdown. */
    function isSearchMark(element: Element): boolean {
      return element.querySelector("mark, ins, del") !== null || element.closest(".markdown") !== null;
    }

    /** A link that a person may follow: it opens another page, which learns nothing of this one. */
    function isLinkAway(element: Element): boolean {
      const { protocol, target, rel } = element as HTMLAnchorElement;
      const isSafe = target === "_blank" && rel === "noreferrer noopener";
      return element.localName === "a" && isSafe && /^(?:https?|mailto):$/.test(protocol);
    }
  });
}
