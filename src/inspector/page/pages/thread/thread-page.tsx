import type { NamespaceSummary, ThreadView } from "../../../api/threads.js";
import { CopyId } from "../../parts/copy-button.js";
import { Failure } from "../../parts/failure.js";
import { counted } from "../../parts/number-texts.js";
import { StatusBadge } from "../../parts/status-badge.js";
import { localTime, Time } from "../../parts/time.js";
import { linkTo, linkToThread, type Route } from "../../routes/route.js";
import { navigate } from "../../routes/use-route.js";
import { useRead } from "../../server/use-read.js";
import { ExportAction } from "./export-action.js";
import { NamespaceChoice } from "./namespace-choice.js";
import { ThreadHistory } from "./thread-history.js";
import "./thread.css";
import { CopyAction } from "../../parts/actions/copy-action.js";
import { DeleteAction } from "../../parts/actions/delete-action.js";
import { PruneAction } from "../../parts/actions/prune-action.js";

const REFRESH_MS = 5_000;

/** A thread. */
export function ThreadPage({ route }: { readonly route: Route }) {
  const [threadId = ""] = route.subjects;
  const { data, error, refetch } = useRead("thread", { threadId }, { refreshMs: REFRESH_MS });
  const asked = route.params.get("ns") ?? "";
  const chosen = data?.namespaces.find(({ namespace }) => namespace === asked);
  // A thread may have no root graph, if only a subgraph has stored something.
  const shown = chosen ?? (route.params.has("ns") ? undefined : data?.namespaces[0]);
  // The list may not have it. Until the list is there, the history is read already, which most often exists.
  const isUnlisted = data === undefined || data.omitted !== undefined;
  const namespace = shown?.namespace ?? (isUnlisted ? asked : undefined);
  return (
    <div class="thread">
      <ThreadHead threadId={threadId} view={data} shown={shown} />
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data !== undefined && namespace === undefined && <NothingThere view={data} namespace={asked} />}
      {namespace !== undefined && (data !== undefined || error === null) && (
        <ThreadHistory
          key={namespace}
          {...{ threadId, namespace }}
          namespaces={data?.namespaces}
          params={route.params}
        />
      )}
    </div>
  );
}

interface ThreadHeadProps {
  readonly threadId: string;
  readonly view: ThreadView | undefined;
  readonly shown: NamespaceSummary | undefined;
}

function ThreadHead({ threadId, view, shown }: ThreadHeadProps) {
  return (
    <div class="thread-head">
      <h1>
        <bdi>{threadId}</bdi>
      </h1>
      <CopyId id={threadId} of="thread" />
      {shown !== undefined && <StatusBadge {...shown} />}
      {shown !== undefined && (
        <span class="dim">
          {counted(shown.checkpoints, "checkpoint")}, <Time at={shown.updatedAt} /> (
          {localTime(shown.updatedAt)})
        </span>
      )}
      <div class="toolbar">
        {view !== undefined && shown !== undefined && view.namespaces.length > 1 && (
          <NamespaceChoice
            namespaces={view.namespaces}
            omitted={view.omitted ?? 0}
            chosen={shown.namespace}
            onChoose={(namespace) => {
              navigate(linkToThread({ threadId, namespace }));
            }}
          />
        )}
        <a class="button" href={linkTo("storage", [], { thread: threadId })}>
          Storage
        </a>
        {shown !== undefined && <ExportAction place={{ threadId, namespace: shown.namespace }} />}
        {shown !== undefined && <ThreadActions threadId={threadId} />}
      </div>
    </div>
  );
}

function NothingThere({ view, namespace }: { readonly view: ThreadView; readonly namespace: string }) {
  const { threadId, deletedAt, namespaces } = view;
  if (namespaces.length > 0) {
    return (
      <p>
        The thread has no namespace <bdi>{namespace}</bdi>.{" "}
        <a href={linkTo("thread", [threadId])}>Show its root graph</a>
      </p>
    );
  }
  return (
    <>
      {deletedAt === undefined ? (
        <p>There is no such thread.</p>
      ) : (
        <p>
          The thread was deleted <Time at={deletedAt} />.
        </p>
      )}
      <p>
        <a href={linkTo("threads")}>Show all threads</a>
      </p>
    </>
  );
}

/** What can be done with a thread. */
function ThreadActions({ threadId }: { readonly threadId: string }) {
  return (
    <>
      <CopyAction threadId={threadId} />
      <PruneAction threadId={threadId} />
      <DeleteAction threadId={threadId} />
    </>
  );
}
