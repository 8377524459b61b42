/** The only addresses that a text may link to. */
const PROTOCOLS = new Set(["http:", "https:", "mailto:"]);

/** Returns an address that a link may have; `undefined` for one that is not whole, or that could do something else than open a page. */
export function safeAddress(address: string): string | undefined {
  try {
    const { protocol, href } = new URL(address);
    return PROTOCOLS.has(protocol) ? href : undefined;
  } catch {
    return undefined;
  }
}
