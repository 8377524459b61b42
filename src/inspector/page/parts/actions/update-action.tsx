import { useMutation } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import type { StateUpdate } from "../../../api/changes.js";
import type { CheckpointPlace } from "../../../api/places.js";
import { linkToThread } from "../../routes/route.js";
import { navigate } from "../../routes/use-route.js";
import { write } from "../../server/call-server.js";
import { useRead } from "../../server/use-read.js";
import { Failure } from "../failure.js";
import { isJsonObject, parseJson } from "../json-text.js";
import { GraphChoice, graphToRun } from "../runs/graph-choice.js";
import { ActionButton } from "./action-button.js";
import { ActionDialog } from "./action-dialog.js";
import { ActionForm } from "./action-form.js";
import { CheckedValues } from "./fork/checked-values.js";
import { useChange } from "./use-change.js";

interface UpdateProps {
  readonly place: CheckpointPlace;
}

/** Edits the state of a checkpoint as a node of a graph would. */
export function UpdateAction({ place }: UpdateProps) {
  return <ActionButton label="Edit state…" action="update" dialog={UpdateDialog} subject={{ place }} />;
}

const LAST = "";

function UpdateDialog({ place, onClose }: UpdateProps & { readonly onClose: () => void }) {
  const { threadId, checkpointId } = place;
  const graphs = useRead("graphs", { threadId, checkpointId });
  const [chosen, setChosen] = useState<{ readonly graph?: string; readonly node: string }>({ node: LAST });
  const [text, setText] = useState("{}");
  const check = useMutation({ mutationFn: (update: StateUpdate) => write("checkUpdate", update) });
  const change = useChange("updateState", () => {
    navigate(linkToThread(place));
  });
  const graph = graphToRun(graphs.data, chosen.graph);
  const nodes = graphs.data?.graphs.find(({ name }) => name === graph)?.nodes ?? [];
  const values = parseFields(text);
  const update =
    graph === undefined || values === undefined
      ? undefined
      : { threadId, checkpointId, graph, values, ...(chosen.node !== LAST && { node: chosen.node }) };
  // What was checked is not what would be stored any more.
  const edited = (): void => {
    check.reset();
    change.reset();
  };
  const checked = check.data;
  return (
    <ActionDialog
      title="Edit the state"
      sentence={
        <>
          A new checkpoint follows <bdi class="mono">{checkpointId}</bdi>, with the update that a node would
          have returned: the reducers of the graph decide what becomes of it, and the graph goes on after that
          node.
        </>
      }
      onClose={onClose}
    >
      {(close) => (
        <ActionForm
          submit={checked === undefined ? "Check" : "Store the update"}
          isReady={update !== undefined}
          isPending={check.isPending || change.isPending}
          error={change.error ?? check.error}
          onSubmit={() => {
            if (update === undefined) return;
            if (checked === undefined) check.mutate(update);
            else change.mutate(update, { onSuccess: close });
          }}
          onCancel={close}
        >
          {graphs.error !== null && <Failure error={graphs.error} onRetry={() => void graphs.refetch()} />}
          {graphs.data !== undefined && (
            <GraphChoice
              {...graphs.data}
              chosen={chosen.graph}
              onChoose={(name) => {
                setChosen({ graph: name, node: LAST });
                edited();
              }}
            />
          )}
          <label class="action-field">
            <span>As the node</span>
            <select
              value={chosen.node}
              onChange={({ currentTarget }) => {
                setChosen({ ...chosen, node: currentTarget.value });
                edited();
              }}
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
              onInput={({ currentTarget }) => {
                setText(currentTarget.value);
                edited();
              }}
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
        </ActionForm>
      )}
    </ActionDialog>
  );
}

/** Parses an object; `undefined` for other JSON, and for what is none. */
function parseFields(text: string): Readonly<Record<string, unknown>> | undefined {
  const parsed = parseJson(text);
  return "value" in parsed && isJsonObject(parsed.value) ? parsed.value : undefined;
}
