/**
 * Returns how many different pages are touched, if each touch meets any of them: pages × (1 - e^(-touches / pages)).
 *
 * @param pages - The number of pages.
 * @param touches - How often one of them is touched.
 */
export function distinctPages(pages: number, touches: number): number {
  return pages <= 0 ? 0 : pages * -Math.expm1(-touches / pages);
}
