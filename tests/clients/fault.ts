/**
 * Returns how something fails that docs/clients.md says does not work.
 *
 * @throws Error where it works, because then the page has to change.
 */
export async function faultOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return String(error);
  }
  throw new Error("This works, and docs/clients.md says that it does not");
}
