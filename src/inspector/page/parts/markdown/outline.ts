/** The level of the first heading in a text: the page has those above. */
const FIRST_LEVEL = 3;
const LAST_LEVEL = 6;

/**
 * Gives the headings of a text levels below those of the page, without gaps, which people who listen to a page could not follow.
 *
 * @returns Maps the level that the text says to the one that the page shows, in the order of the text.
 */
export function createOutline(): (level: number) => number {
  const around: number[] = [];
  return (level) => {
    while ((around.at(-1) ?? 0) >= level) around.pop();
    around.push(level);
    return Math.min(FIRST_LEVEL + around.length - 1, LAST_LEVEL);
  };
}
