import { useState } from "preact/hooks";
import type { StateUpdate } from "../../../api/changes.js";
import type { CheckpointPlace } from "../../../api/places.js";
import { linkToThread, navigate } from "../../routes/route.js";
import { write } from "../../server/call-server.js";
import { useRead } from "../../server/use-read.js";
import { GraphChoice, graphToRun } from "../graph-choice.js";
import { typedObject } from "../json-text.js";
import { Failure } from "../read-state.js";
import { type Closing, FormDialog, useCheckedChange } from "./action-dialog.js";
import { CheckedValues } from "./checked-values.js";
import { typed } from "../typed-text.js";

const LAST = "";

/** Edits the state of a checkpoint as a node of a graph would. */
export function UpdateDialog({ place, onClose }: { readonly place: CheckpointPlace } & Closing) {
  const { threadId, checkpointId } = place;
  const graphs = useRead("graphs", { threadId, checkpointId });
  const [chosen, setChosen] = useState<{ readonly graph?: string; readonly node: string }>({ node: LAST });
  const [text, setText] = useState("{}");
  const { checked, sending, forget, send } = useCheckedChange(
    (update: StateUpdate) => write("checkUpdate", update),
    "updateState",
    () => {
      navigate(linkToThread(place));
    },
  );
  const graph = graphToRun(graphs.data, chosen.graph);
  const nodes = graphs.data?.graphs.find(({ name }) => name === graph)?.nodes ?? [];
  const { value: values } = typedObject(text);
  const update =
    graph === undefined || values === undefined
      ? undefined
      : { threadId, checkpointId, graph, values, ...(chosen.node !== LAST && { node: chosen.node }) };
  // What was checked is not what would be stored any more.
  const edit =
    <Value,>(set: (value: Value) => void) =>
    (value: Value): void => {
      set(value);
      forget();
    };
  const choose = edit(setChosen);
  return (
    <FormDialog
      title="Edit the state"
      sentence={
        <>
          A new checkpoint follows <bdi class="mono">{checkpointId}</bdi>, with the update that a node would
          have returned: the reducers of the graph decide what becomes of it, and the graph goes on after that
          node.
        </>
      }
      submit={checked === undefined ? "Check" : "Store the update"}
      isReady={update !== undefined}
      sending={sending}
      onSubmit={(close) => {
        if (update !== undefined) send(update, close);
      }}
      onClose={onClose}
    >
      {graphs.error !== null && <Failure error={graphs.error} onRetry={() => void graphs.refetch()} />}
      {graphs.data !== undefined && (
        <GraphChoice
          {...graphs.data}
          chosen={chosen.graph}
          onChoose={(name) => {
            choose({ graph: name, node: LAST });
          }}
        />
      )}
      <label class="action-field">
        <span>As the node</span>
        <select
          value={chosen.node}
          onChange={typed((node) => {
            choose({ ...chosen, node });
          })}
        >
          <option value={LAST}>that ran last</option>
          {nodes.map((node) => (
            <option key={node} value={node}>
              {node}
            </option>
          ))}
        </select>
      </label>
      <label class="action-field">
        <span>Update as JSON, such as {'{"plan": "A"}'}</span>
        <textarea
          class="mono"
          rows={6}
          spellcheck={false}
          value={text}
          aria-invalid={values === undefined}
          onInput={typed(edit(setText))}
        />
      </label>
      <div role="status">
        {checked !== undefined && (
          <>
            <CheckedValues values={checked.values} />
            <p>
              {checked.next.length === 0 ? (
                "Nothing would run next."
              ) : (
                <>
                  Would run next: <bdi class="mono">{checked.next.join(", ")}</bdi>
                </>
              )}
            </p>
          </>
        )}
      </div>
    </FormDialog>
  );
}
