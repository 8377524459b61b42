import { linkTo, type Route } from "../../routes/route.js";
import { navigate } from "../../routes/use-route.js";
import { useOverview } from "../../server/overview-context.js";
import { AllThreads } from "./all-threads.js";
import { OneThread } from "./measured-thread.js";
import { PruneSection } from "./prune-section.js";
import { TablesSection } from "./tables-section.js";
import { ThreadForm } from "./thread-form.js";
import "./storage.css";

/** What the rows of threads take. */
export function StoragePage({ route: { params } }: { readonly route: Route }) {
  const threadId = params.get("thread") ?? undefined;
  const { tenantId } = useOverview();
  return (
    <div class="storage">
      <div class="storage-head">
        <h1>Storage</h1>
        <ThreadForm
          key={threadId}
          threadId={threadId ?? ""}
          onChoose={(thread) => {
            navigate(linkTo("storage", [], { thread }));
          }}
        />
      </div>
      {threadId === undefined ? (
        <>
          <TablesSection />
          {tenantId !== undefined && (
            <p class="dim">
              The tables hold the rows of all tenants. What is measured below belongs to <bdi>{tenantId}</bdi>
              .
            </p>
          )}
          <AllThreads />
        </>
      ) : (
        <OneThread key={threadId} threadId={threadId} namespace={params.get("ns") ?? ""} />
      )}
      <PruneSection key={threadId} threadId={threadId} />
    </div>
  );
}
