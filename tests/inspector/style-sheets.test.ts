import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "@jest/globals";

const PAGE = "src/inspector/page";
/** Loaded before anything is shown, so that they may style elements. */
const ALWAYS_LOADED = ["style", "shell"].map((folder) => join(PAGE, folder));

const files = readdirSync(PAGE, { recursive: true, encoding: "utf8" }).map((name) => join(PAGE, name));
const sheets = files.filter((file) => file.endsWith(".css"));
const scripts = files.filter((file) => file.endsWith(".tsx"));

/** The selectors of a style sheet. */
function selectorsOf(sheet: string): string[] {
  const text = readFileSync(sheet, "utf8").replaceAll(/\/\*.*?\*\//gs, "");
  return [...text.matchAll(/([^{};]+)\{/g)]
    .map(([, prelude = ""]) => prelude.trim())
    .filter((prelude) => !prelude.startsWith("@"))
    .flatMap((prelude) => prelude.split(","))
    .map((selector) => selector.trim());
}

/** The class that a selector begins with: what comes after it is only styled within. */
function ownerOf(selector: string): string | undefined {
  return /^\.([\w-]+)/.exec(selector)?.[1];
}

/** The classes that the selectors of a style sheet begin with. */
function ownersOf(sheet: string): string[] {
  return [...new Set(selectorsOf(sheet).flatMap((selector) => ownerOf(selector) ?? []))];
}

/** The classes that a script gives to elements. */
function classesOf(script: string): string[] {
  const values = [...readFileSync(script, "utf8").matchAll(/\bclass=("[^"]*"|\{[^}]*\})/g)];
  const texts = values.flatMap(([, value = ""]) => [...value.matchAll(/["`]([^"`]*)["`]/g)]);
  return texts.flatMap(([, text = ""]) => text.split(/[^\w-]+/));
}

describe("style sheets, which stay when another page is shown", () => {
  const isLazy = (sheet: string): boolean => !ALWAYS_LOADED.includes(dirname(sheet));

  it("style a class in one sheet each", () => {
    const owned = sheets.flatMap((sheet) => ownersOf(sheet).map((owner) => ({ owner, sheet })));
    const shared = owned.filter(({ owner }) => owned.filter((other) => other.owner === owner).length > 1);
    expect(shared).toEqual([]);
  });

  it("style no elements where they are loaded with a page", () => {
    const others = sheets
      .filter(isLazy)
      .flatMap((sheet) =>
        selectorsOf(sheet).flatMap((selector) =>
          ownerOf(selector) === undefined ? [[sheet, selector]] : [],
        ),
      );
    expect(others).toEqual([]);
  });

  it("style no class of another page", () => {
    const pageOf = (file: string): string | undefined => /\/pages\/([^/]+)\//.exec(file)?.[1];
    const foreign = sheets.flatMap((sheet) => {
      const owners = new Set(ownersOf(sheet));
      const page = pageOf(sheet);
      return scripts
        .filter((script) => page !== undefined && pageOf(script) !== page)
        .flatMap((script) =>
          classesOf(script).flatMap((name) => (owners.has(name) ? [[sheet, script, name]] : [])),
        );
    });
    expect(foreign).toEqual([]);
  });
});
