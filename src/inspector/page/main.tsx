import { QueryClient, QueryClientProvider } from "@tanstack/preact-query";
import { options, render } from "preact";
import { App, preloadPage } from "./app.js";
import { currentRoute } from "./routes/route.js";
import { ServerError } from "./server/errors.js";
import { followSession, sessionEnd } from "./server/session.js";
import { queryOf } from "./server/use-read.js";
import { SignedOutNotice } from "./shell/signed-out.js";
import { applyTheme, storedTheme } from "./shell/theme.js";

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // The server has retried what a retry helps against.
      retry: (failures, error) => !(error instanceof ServerError) && failures < 2,
      staleTime: 5_000,
      refetchOnWindowFocus: false,
    },
  },
});

// Reads begin in effects, which Preact would run after the next frame: that is the time of a read.
options.requestAnimationFrame = (runEffects) => {
  setTimeout(runEffects);
};

applyTheme(storedTheme());
settleAddress();
// First, since a browser loads six files at the same time.
// The page shows a failure.
client.query(queryOf("overview", {})).catch(() => undefined);
preloadPage(client, currentRoute().page);

followSession(() => {
  if (sessionEnd() !== undefined) return;
  // What failed is read again. The person may also be another one now.
  void client.invalidateQueries({
    predicate: ({ state, queryKey }) => state.error !== null || queryKey[0] === "overview",
  });
});

const root = document.getElementById("app");
if (root !== null) {
  render(
    <QueryClientProvider client={client}>
      <SignedOutNotice />
      <App />
    </QueryClientProvider>,
    root,
  );
}

/**
 * Adds the slash that the address may lack, so that links within the page are links within the same document. Some routers, such as that of
 * Next.js, remove the slash.
 */
function settleAddress(): void {
  const { pathname } = new URL(document.baseURI);
  if (location.pathname === pathname.slice(0, -1)) {
    history.replaceState(history.state, "", `${pathname}${location.search}${location.hash}`);
  }
}
