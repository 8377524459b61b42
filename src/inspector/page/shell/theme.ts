import { readChoice, storeChoice } from "./stored-choice.js";

/** The colour schemes that a person can choose. */
export const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

const KEY = "langgraph-inspector-theme";

/** Returns what the person has chosen in this browser. */
export function storedTheme(): Theme {
  const stored = readChoice(KEY);
  return THEMES.find((theme) => theme === stored) ?? "system";
}

/** Shows the page in a colour scheme. */
export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** Shows the page in a colour scheme from now on. */
export function chooseTheme(theme: Theme): void {
  applyTheme(theme);
  storeChoice(KEY, theme);
}
