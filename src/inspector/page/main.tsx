import { QueryClient, QueryClientProvider } from "@tanstack/preact-query";
import { render } from "preact";
import { App } from "./app.js";
import { settleAddress } from "./routes/settle-address.js";
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

const root = document.getElementById("app");
if (root !== null) {
  render(
    <QueryClientProvider client={client}>
      <App />
    </QueryClientProvider>,
    root,
  );
}
