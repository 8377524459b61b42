import { useState } from "preact/hooks";
import type { TaskView, WriteView } from "../../../api/checkpoints.js";
import { CopyId } from "../../parts/copy-button.js";
import { formatBytes, formatCount } from "../../parts/number-texts.js";
import { Preview } from "../../parts/value-tree/value-texts.js";
import { AddressedTree } from "../../parts/value-tree/value-tree.js";
import type { TabProps } from "./checkpoint-route.js";

/** The writes that say what a task waits for, and why it failed. */
const SPECIAL: ReadonlyMap<string, string> = new Map([
  ["__error__", "error"],
  ["__interrupt__", "interrupt"],
]);

/** How many tasks are shown at first, and by each further step. */
const PAGE = 100;
/** How many errors and interrupts are open without being asked for. */
const OPEN_AT_ONCE = 5;

/** The pending writes of a checkpoint by task. */
export function WritesTab({ route, view }: TabProps) {
  const [shown, setShown] = useState(PAGE);
  if (view.tasks.length === 0) return <p>The checkpoint has no pending writes.</p>;
  const special = view.tasks.flatMap(({ taskId, writes }) =>
    writes.filter(({ channel }) => SPECIAL.has(channel)).map(({ idx }) => keyOf(taskId, idx)),
  );
  const openAtOnce = new Set(special.slice(0, OPEN_AT_ONCE));
  return (
    <>
      {view.tasks.slice(0, shown).map((task) => (
        <Task key={task.taskId} task={task} route={route} openAtOnce={openAtOnce} />
      ))}
      {view.hasMoreWrites === true && <p>The checkpoint has more writes, which are not listed.</p>}
      {view.tasks.length > shown && (
        <button
          type="button"
          onClick={() => {
            setShown(shown + PAGE);
          }}
        >
          Show more tasks ({formatCount(view.tasks.length - shown)} left)
        </button>
      )}
    </>
  );
}

interface TaskProps extends Pick<TabProps, "route"> {
  readonly task: TaskView;
  readonly openAtOnce: ReadonlySet<string>;
}

function Task({ task: { taskId, taskPath, node, writes }, route, openAtOnce }: TaskProps) {
  return (
    <section class="task">
      <div class="task-head">
        <h2>
          {node === undefined ? "Task" : <bdi>{node}</bdi>} <bdi class="mono dim">{taskId}</bdi>
        </h2>
        <CopyId id={taskId} of="task" />
      </div>
      {taskPath !== "" && (
        <p class="dim">
          Path <bdi class="mono">{taskPath}</bdi>
        </p>
      )}
      <ul class="writes">
        {writes.map((write) => {
          const key = keyOf(taskId, write.idx);
          return <Write key={key} {...{ taskId, write, route }} isOpenAtOnce={openAtOnce.has(key)} />;
        })}
      </ul>
    </section>
  );
}

interface WriteProps extends Pick<TabProps, "route"> {
  readonly taskId: string;
  readonly write: WriteView;
  readonly isOpenAtOnce: boolean;
}

function Write({ taskId, write, route: { place, params, linkToTab }, isOpenAtOnce }: WriteProps) {
  const { idx, channel, bytes, preview } = write;
  const key = keyOf(taskId, idx);
  const isChosen = params.get("channel") === key;
  const mark = SPECIAL.get(channel);
  return (
    <li class={mark === undefined ? undefined : `write-${mark}`}>
      <p class="write-head">
        {mark !== undefined && (
          <span class={`badge badge-${mark === "error" ? "failed" : "interrupted"}`}>{mark}</span>
        )}
        <a
          href={linkToTab("writes", isChosen ? {} : { channel: key })}
          aria-expanded={isChosen || isOpenAtOnce}
        >
          <bdi class="mono">{channel}</bdi>
        </a>
        <span class="dim">{formatBytes(bytes)}</span>
        {preview !== undefined && <Preview value={preview} />}
      </p>
      {(isChosen || isOpenAtOnce) && (
        <AddressedTree
          label={channel}
          isBrief={isOpenAtOnce}
          place={{ kind: "write", taskId, idx, ...place }}
          path={isChosen ? params.get("path") : null}
          linkTo={(path) => linkToTab("writes", { channel: key, path })}
        />
      )}
    </li>
  );
}

function keyOf(taskId: string, idx: number): string {
  return `${taskId}/${idx}`;
}
