const [START, END] = [14, 8];

/** Shortens an id in the middle. Its characters stay whole. */
export function shortId(id: string): string {
  const characters = Array.from(id);
  if (characters.length <= START + END + 4) return id;
  return `${characters.slice(0, START).join("")}…${characters.slice(-END).join("")}`;
}
