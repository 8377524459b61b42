import { styleText } from "node:util";
import type { CommandIO, OutputStream } from "../command-io.js";

/** Colours by their meaning. */
export interface Style {
  /** Whether the functions add colours. */
  readonly coloured: boolean;
  good(text: string): string;
  warning(text: string): string;
  bad(text: string): string;
  /** For less important text. */
  dim(text: string): string;
}

const PLAIN: Style = { coloured: false, good: unchanged, warning: unchanged, bad: unchanged, dim: unchanged };

/** Returns colours for a terminal, and plain text for a file, for a pipe, or if `NO_COLOR` is set. */
export function styleFor(stream: OutputStream, env: CommandIO["env"]): Style {
  if (!wantsColours(stream, env)) return PLAIN;
  const paint = (colour: "green" | "yellow" | "red" | "dim") => (text: string) =>
    styleText(colour, text, { validateStream: false });
  return {
    coloured: true,
    good: paint("green"),
    warning: paint("yellow"),
    bad: paint("red"),
    dim: paint("dim"),
  };
}

// By no-color.org, an empty NO_COLOR counts as not set.
function wantsColours(stream: OutputStream, env: CommandIO["env"]): boolean {
  return stream.isTTY === true && (env.NO_COLOR ?? "") === "" && env.TERM !== "dumb";
}

function unchanged(text: string): string {
  return text;
}
