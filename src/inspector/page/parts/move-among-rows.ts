import type { TargetedKeyboardEvent } from "preact";
import { rowLinks } from "../shell/keys/page-keys.js";

/** Moves the focus to the next row of a list, or to the one before, by the arrow keys. */
export function moveAmongRows(event: TargetedKeyboardEvent<HTMLElement>): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0 || event.ctrlKey || event.altKey || event.metaKey) return;
  const links = rowLinks(event.currentTarget);
  const row = (document.activeElement ?? event.currentTarget).closest("li, tr");
  const from = links.findIndex((link) => row?.contains(link) === true);
  if (from === -1) return;
  event.preventDefault();
  links[from + step]?.focus();
}
