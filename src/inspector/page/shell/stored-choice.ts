/** Returns what the person has chosen in this browser; `null` where nothing is stored. */
export function readChoice(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Stores what the person has chosen. */
export function storeChoice(key: string, choice: string): void {
  try {
    localStorage.setItem(key, choice);
  } catch {
    // The browser may forbid to store anything. The choice then ends with the page.
  }
}
