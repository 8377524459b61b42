/**
 * Adds the slash that the address may lack, so that links within the page are links within the same document. Some routers, such as that of
 * Next.js, remove the slash.
 */
export function settleAddress(): void {
  const { pathname } = new URL(document.baseURI);
  if (location.pathname === pathname.slice(0, -1)) {
    history.replaceState(history.state, "", `${pathname}${location.search}${location.hash}`);
  }
}
