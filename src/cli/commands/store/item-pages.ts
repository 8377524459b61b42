import type { Option } from "commander";
import { z } from "zod";
import { countOption } from "../../options/option-values.js";
import { shellWord } from "../../output/shell-word.js";
import type { Style } from "../../output/style.js";

/** The options of lists of the store, which are paged by numbers. */
export function pageOptions(what: string, defaultLimit: number): Option[] {
  return [
    countOption("--limit <n>", `how many ${what} (default: ${defaultLimit})`, 1),
    countOption("--offset <n>", `how many ${what} to skip (default: 0)`),
  ];
}

/** The flags of {@link pageOptions}. */
export function pageFlags(defaultLimit: number) {
  return { limit: z.number().default(defaultLimit), offset: z.number().default(0) };
}

/** What follows a page. */
export interface NextPage {
  /** The `--offset` of the next page. `null` where the page is not full. */
  readonly offset: number | null;
  /**
   * Names the command line of the next page, if there is one.
   *
   * @param words - The command line without the options of pages.
   */
  hint(words: readonly string[], defaultLimit: number, style: Style): string;
}

/** @param found - How many rows the page has. */
export function nextPage({ limit, offset }: { limit: number; offset: number }, found: number): NextPage {
  const next = found === limit ? offset + limit : null;
  return {
    offset: next,
    hint: (words, defaultLimit, style) => {
      if (next === null) return "";
      const limited = limit === defaultLimit ? [] : ["--limit", String(limit)];
      const line = [...words, ...limited, "--offset", String(next)].map(shellWord).join(" ");
      return `\n\n${style.dim(`next page: ${line}`)}`;
    },
  };
}
