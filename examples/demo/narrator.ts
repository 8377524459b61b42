import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

const colourful = process.stdout.isTTY && (process.env.NO_COLOR ?? "") === "";

/** The text in a style, or unchanged if the output is not a terminal with colours. */
export function paint(style: Style, text: string): string {
  return colourful ? styleText(style, text) : text;
}

/** Prints the title of a part of the story, with the id of its process. */
export function announce(title: string, pid?: number): void {
  const where = pid === undefined ? "" : paint("dim", `   process ${pid}`);
  console.log(`\n${paint("bold", title)}${where}`);
}

/** Prints one line of the story: who does what. */
export function say(who: string, what: string, style: Style = "cyan"): void {
  console.log(`   ${paint(style, who.padEnd(9))} ${what}`);
}
