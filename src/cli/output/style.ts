import { styleText } from "node:util";
import type { CommandIO, OutputStream } from "../command-io.js";

/** Colours by what they say. */
export interface Style {
  /** Whether there are any. */
  readonly coloured: boolean;
  good(text: string): string;
  warning(text: string): string;
  bad(text: string): string;
  /** For what matters less. */
  dim(text: string): string;
}

const PLAIN: Style = { coloured: false, good: same, warning: same, bad: same, dim: same };

/** Colours for a terminal; plain text for a file, for a pipe, and for whoever set `NO_COLOR`. */
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

// See no-color.org: any value but the empty one.
function wantsColours(stream: OutputStream, env: CommandIO["env"]): boolean {
  return stream.isTTY === true && (env.NO_COLOR ?? "") === "" && env.TERM !== "dumb";
}

function same(text: string): string {
  return text;
}
