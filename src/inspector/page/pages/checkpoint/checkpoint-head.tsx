import { Fact } from "../../parts/fact.js";
import type { ComponentChildren } from "preact";
import type { CheckpointView } from "../../../api/checkpoints.js";
import { CopyId } from "../../parts/copy-button.js";
import { StatusBadge } from "../../parts/status-badge.js";
import { localTime, Time } from "../../parts/time.js";
import { linkToCheckpoint, linkToThread } from "../../routes/route.js";
import { useRead } from "../../server/use-read.js";
import { nodeName, sourceName } from "../../parts/words.js";

/** How many children the head links to. */
const SHOWN_CHILDREN = 20;

interface CheckpointHeadProps {
  readonly view: CheckpointView;
  /** Buttons of actions. */
  readonly children?: ComponentChildren;
}

/** What a checkpoint is, with links to what is around it. */
export function CheckpointHead({ view, children }: CheckpointHeadProps) {
  const { threadId, namespace, checkpointId, createdAt, step, source, runId, parentId } = view;
  return (
    <header class="checkpoint-head">
      <p class="checkpoint-way">
        <a href={linkToThread({ threadId, namespace: "" })}>
          <bdi>{threadId}</bdi>
        </a>{" "}
        <CopyId id={threadId} of="thread" />{" "}
        {namespace !== "" && (
          <>
            /{" "}
            <a href={linkToThread({ threadId, namespace })}>
              <bdi>{namespace}</bdi>
            </a>
          </>
        )}
      </p>
      <div class="checkpoint-title">
        <h1>
          Checkpoint <bdi class="mono">{checkpointId}</bdi>
        </h1>
        <CopyId id={checkpointId} of="checkpoint" />
        <Neighbours view={view} />
        {children}
      </div>
      <dl class="checkpoint-facts">
        <Fact name="Time">
          <span>
            {localTime(createdAt)} (<Time at={createdAt} />)
          </span>
        </Fact>
        <Fact name="Step">{step}</Fact>
        <Fact name="Origin">{source !== undefined && <bdi>{sourceName(source)}</bdi>}</Fact>
        {runId !== undefined && (
          <Fact name="Run">
            <bdi class="mono">{runId}</bdi> <CopyId id={runId} of="run" />
          </Fact>
        )}
        <Fact name="State">
          <StatusBadge status={view.status} next={[]} />
        </Fact>
        <Fact name="Next">
          {view.next.length === 0
            ? "nothing"
            : view.next.map((node) => (
                <bdi key={node} class="chip">
                  {nodeName(node)}
                </bdi>
              ))}
        </Fact>
        <Fact name="Parent">
          {parentId === undefined ? "none" : <CheckpointLink view={view} checkpointId={parentId} />}
        </Fact>
        <Fact name="Children">
          {view.children.length === 0 && "none"}
          {view.children.slice(0, SHOWN_CHILDREN).map((child) => (
            <CheckpointLink key={child} view={view} checkpointId={child} />
          ))}
          {view.children.length > SHOWN_CHILDREN && ` and ${view.children.length - SHOWN_CHILDREN} more`}
        </Fact>
      </dl>
    </header>
  );
}

interface CheckpointLinkProps {
  readonly view: CheckpointView;
  readonly checkpointId: string;
}

function CheckpointLink({ view: { threadId, namespace }, checkpointId }: CheckpointLinkProps) {
  return (
    <a class="mono" href={linkToCheckpoint({ threadId, namespace, checkpointId })}>
      <bdi>{checkpointId}</bdi>
    </a>
  );
}

function Neighbours({ view: { threadId, namespace, checkpointId } }: { readonly view: CheckpointView }) {
  const { data } = useRead("neighbours", { threadId, namespace, checkpointId });
  const linkTo = (id: string | undefined) =>
    id === undefined ? undefined : linkToCheckpoint({ threadId, namespace, checkpointId: id });
  return (
    <nav class="checkpoint-neighbours" aria-label="By time">
      <NeighbourLink link={linkTo(data?.older)}>← Older</NeighbourLink>
      <NeighbourLink link={linkTo(data?.newer)}>Newer →</NeighbourLink>
    </nav>
  );
}

interface NeighbourLinkProps {
  readonly link: string | undefined;
  readonly children: ComponentChildren;
}

function NeighbourLink({ link, children }: NeighbourLinkProps) {
  return link === undefined ? <span class="dim">{children}</span> : <a href={link}>{children}</a>;
}
