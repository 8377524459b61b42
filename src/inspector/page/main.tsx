import { QueryClient, QueryClientProvider } from "@tanstack/preact-query";
import { render } from "preact";
import { App, preloadPage } from "./app.js";
import { currentRoute } from "./routes/use-route.js";
import { ServerError } from "./server/call-server.js";
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

applyTheme(storedTheme());
settleAddress();
preloadPage(currentRoute().page);

const root = document.getElementById("app");
if (root !== null) {
  render(
    <QueryClientProvider client={client}>
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
