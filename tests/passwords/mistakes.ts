import fc from "fast-check";
import type { UrlParts } from "../../src/db/pool/test-support/mistyped-urls.js";

/** Separators, and characters that are typed or pasted by mistake. */
const TYPOS = [
  ":",
  "/",
  "@",
  "?",
  "#",
  "%",
  "&",
  "=",
  ";",
  " ",
  '"',
  "'",
  "<",
  "\n",
  "\\",
  "[",
  "]",
  "x",
  "1",
  "",
];
const BEFORE = [
  "",
  '"',
  "'",
  " ",
  "DATABASE_URL=",
  "export DATABASE_URL=",
  "jdbc:",
  "psql ",
  "file://",
  "/",
  "//",
];
const AFTER = ["", '"', "'", " ", "\n", "/", "?", "#", ";", "?sslmode=disable", "?password=x", "?host=h@i"];

/**
 * A correct connection string with up to two mistakes. They are never inside the password, which they would
 * split, or inside the server's address, which would become another one.
 */
export function mistakesOf(parts: UrlParts): fc.Arbitrary<string> {
  const { password, server, database } = parts;
  const characters = [...Array.from("postgres://app:"), password, "@", server, "/", ...Array.from(database)];
  const change = fc.tuple(
    fc.nat({ max: characters.length - 1 }),
    fc.constantFrom("insert", "replace", "delete", "swap", "cut"),
    fc.constantFrom(...TYPOS),
  );
  return fc
    .tuple(
      fc.array(change, { minLength: 0, maxLength: 2 }),
      fc.constantFrom(...BEFORE),
      fc.constantFrom(...AFTER),
    )
    .map(([changes, before, after]) => {
      const typed = [...characters];
      for (const [at, kind, typo] of changes) {
        const isWhole = typed[at] === password || typed[at] === server;
        if (kind === "insert") typed.splice(at, 0, typo);
        else if (kind === "replace" && !isWhole) typed.splice(at, 1, typo);
        else if (kind === "delete" && !isWhole) typed.splice(at, 1);
        else if (kind === "swap") typed.splice(at, 2, ...typed.slice(at, at + 2).reverse());
        else if (kind === "cut" && typed.indexOf(password) < at) typed.splice(at);
      }
      return `${before}${typed.join("")}${after}`;
    });
}

/**
 * Whether the password is in the place of a host, of a database, or of a user with another password, in a URL
 * that is otherwise valid.
 */
export function isInPlaceOfName(url: string, password: string): boolean {
  if (!/^\s*(?:[a-z][a-z\d+.-]*:\/\/|\/)/i.test(url)) return false;
  const [address = ""] = url.split("?");
  const [, user = ""] = /:\/\/([^:/]*):[^/@]*[\p{L}\p{N}][^/]*@/u.exec(address) ?? [];
  if (user.includes(encodeURIComponent(password))) return true;
  const name = /^[\p{L}\p{N}._%-]*$/u;
  const rest = address.replace(/^\s*[a-z\d+.-]*:\/\//i, "").replace(/^[^/]*@/, "");
  const pieces = rest
    .replace(/:\d*(?=\/|$)/, "")
    .trim()
    .split("/");
  return pieces.some((piece) => name.test(piece) && piece.includes(encodeURIComponent(password)));
}
