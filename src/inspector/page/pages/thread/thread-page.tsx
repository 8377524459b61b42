import type { NamespaceSummary, ThreadView } from "../../../api/threads.js";
import { CopyId } from "../../parts/copy-button.js";
import { Failure } from "../../parts/read-state.js";
import { countText } from "../../parts/number-texts.js";
import { StatusBadge } from "../../parts/status-badge.js";
import { Time } from "../../parts/time.js";
import { linkTo, linkToThread, type Route, navigate } from "../../routes/route.js";
import { fileAddress } from "../../server/call-server.js";
import { useRead } from "../../server/use-read.js";
import { ThreadSearchField } from "./search/thread-search.js";
import { NamespaceHistory } from "./thread-history.js";
import { CopyAction, DeleteAction, PruneAction } from "../../parts/actions/thread-actions.js";
import type { NamespacePlace } from "../../../api/places.js";
import { DownloadLink } from "../../parts/download-link.js";
import { ActionDialog, actionButton, CloseButton, type Closing } from "../../parts/actions/action-dialog.js";
import { isolated } from "../../shell/page-title.js";
import "./thread.css";
import { typed } from "../../parts/typed-text.js";

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
        <NamespaceHistory
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
          {countText(shown.checkpoints, "checkpoint")}, <Time at={shown.updatedAt} />
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
      <ThreadSearchField key={threadId} threadId={threadId} />
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

/** The forms of a thread as a file, by the names that the server gives to them. */
const FORMS = [
  ["conversation", "Conversation as Markdown", "the messages of the namespace, to read or to paste"],
  [
    "state",
    "State as JSON",
    "all values of the newest checkpoint of the namespace, its metadata and pending writes",
  ],
  ["history", "History", "all checkpoints of all namespaces, as the command import takes them"],
] as const;

/** Offers the thread as a file. */
const ExportAction = actionButton("Export…", "read", ExportDialog);

function ExportDialog({ place, onClose }: { readonly place: NamespacePlace } & Closing) {
  return (
    <ActionDialog
      title="Export this thread"
      sentence="The file has what is stored now, with personal data and secrets that messages may have."
      onClose={onClose}
    >
      {(close) => (
        <>
          <dl class="export-forms">
            {FORMS.map(([form, name, help]) => (
              <div key={form}>
                <dt>
                  <DownloadLink address={fileAddress("export", { ...place, form })}>{name}</DownloadLink>
                </dt>
                <dd class="dim">{help}</dd>
              </div>
            ))}
          </dl>
          <CloseButton close={close} />
        </>
      )}
    </ActionDialog>
  );
}

interface NamespaceChoiceProps {
  readonly namespaces: readonly NamespaceSummary[];
  /** How many namespaces there are besides. */
  readonly omitted: number;
  readonly chosen: string;
  readonly onChoose: (namespace: string) => void;
}

/** Lets the person choose the root graph or a run of a subgraph. Runs are grouped by the node that started them. */
export function NamespaceChoice({ namespaces, omitted, chosen, onChoose }: NamespaceChoiceProps) {
  const groups = groupByNode(namespaces);
  return (
    <label class="namespace-choice">
      <span class="dim">Namespace</span>
      <select value={chosen} onChange={typed(onChoose)}>
        {[...groups].map(([node, members]) =>
          node === "" ? (
            members.map((summary) => <Namespace key={summary.namespace} summary={summary} />)
          ) : (
            <optgroup key={node} label={`Subgraph ${isolated(node)}`}>
              {members.map((summary) => (
                <Namespace key={summary.namespace} summary={summary} />
              ))}
            </optgroup>
          ),
        )}
        {omitted > 0 && <option disabled>and {countText(omitted, "namespace")} more</option>}
      </select>
    </label>
  );
}

function Namespace({ summary }: { readonly summary: NamespaceSummary }) {
  const { namespace, checkpoints, status } = summary;
  const name = namespace === "" ? "root graph" : isolated(namespace);
  return (
    <option value={namespace}>
      {name} · {countText(checkpoints, "checkpoint")} · {status}
    </option>
  );
}

function groupByNode(
  namespaces: readonly NamespaceSummary[],
): ReadonlyMap<string, readonly NamespaceSummary[]> {
  const groups = new Map<string, NamespaceSummary[]>();
  for (const summary of namespaces) {
    const node = nodeOf(summary.namespace);
    const members = groups.get(node);
    if (members === undefined) groups.set(node, [summary]);
    else members.push(summary);
  }
  return groups;
}

/** A namespace is a path such as `node:task|node:task`. */
function nodeOf(namespace: string): string {
  return namespace.split(/[:|]/, 1)[0] ?? "";
}
