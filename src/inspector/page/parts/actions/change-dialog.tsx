import { useState } from "preact/hooks";
import type { StateUpdate } from "../../../api/changes.js";
import { linkToThread, navigate } from "../../routes/route.js";
import { useOverview } from "../../server/overview-context.js";
import { write } from "../../server/call-server.js";
import { useRead } from "../../server/use-read.js";
import { GraphChoice, graphToRun } from "../graph-choice.js";
import { Failure } from "../read-state.js";
import { typed } from "../typed-text.js";
import { nodeName } from "../words.js";
import { type Closing, FormDialog, useChange, useCheckedChange } from "./action-dialog.js";
import { CheckedValues } from "./checked-values.js";
import { type StepProps, useRunOfThread } from "./run-of-thread.js";
import { type Texts, typedValues, ValuesToEdit } from "./edited-values.js";

/** What goes on after a change: what was next at the step, or what follows a node. */
const HERE = "";

/** Edits values of a step, stores them as the step after it, and lets the graph go on from there. */
export function ChangeDialog({ place, onClose }: StepProps & Closing) {
  const { threadId, namespace, checkpointId } = place;
  const { may } = useOverview();
  const mayRun = namespace === "" && may.replay;
  const mayUpdate = namespace === "" && may.update;
  const view = useRead("checkpoint", place);
  const graphs = useRead("graphs", { threadId, checkpointId }, { enabled: mayRun || mayUpdate });
  const [texts, setTexts] = useState<Texts>({});
  const [chosen, setChosen] = useState<{ readonly graph?: string; readonly node: string }>({ node: HERE });
  const [runs, setRuns] = useState(true);
  const [stored, setStored] = useState<string>();
  const run = useRunOfThread({ place, onClose });
  const graph = graphToRun(graphs.data, chosen.graph);
  const { nodes = [], channels: ofGraph = [] } = graphs.data?.graphs.find(({ name }) => name === graph) ?? {};
  const isUpdate = mayUpdate && (chosen.node !== HERE || !may.fork);
  const { values, isValid } = typedValues(texts);
  const onStored = (created: { readonly checkpointId: string }): void => {
    setStored(created.checkpointId);
    if (goesOn && graph !== undefined) run.start(graph, created.checkpointId);
    else navigate(linkToThread(place));
  };
  const fork = useChange("fork", onStored);
  const update = useCheckedChange((each: StateUpdate) => write("checkUpdate", each), "updateState", onStored);
  const { checked } = update;
  const next = (isUpdate ? checked?.next : view.data?.next) ?? [];
  const canRun = mayRun && next.length > 0 && graphs.data !== undefined && graphs.data.graphs.length > 0;
  const goesOn = canRun && runs;
  const needsGraph = isUpdate || goesOn;
  // What was checked is not what would be stored any more.
  const edit =
    <Value,>(set: (value: Value) => void) =>
    (value: Value): void => {
      set(value);
      update.forget();
      fork.reset();
    };
  const choose = edit(setChosen);
  return (
    <FormDialog
      title="Change values"
      sentence="A new step follows this one, with the values that you change; all other values and all later steps stay, the later ones on a branch of their own."
      submit={
        stored !== undefined
          ? "Run"
          : isUpdate && checked === undefined
            ? "Check"
            : goesOn
              ? "Store and run"
              : "Store"
      }
      isReady={
        view.data !== undefined &&
        isValid &&
        Object.keys(values).length > 0 &&
        (!needsGraph || graph !== undefined)
      }
      sending={[...update.sending, fork, run.sending]}
      onSubmit={(close) => {
        const done = goesOn ? undefined : close;
        if (stored !== undefined) {
          if (graph !== undefined) run.start(graph, stored);
        } else if (!isUpdate) fork.mutate({ ...place, values }, done && { onSuccess: done });
        else if (graph !== undefined)
          update.send(
            { threadId, checkpointId, graph, values, ...(chosen.node !== HERE && { node: chosen.node }) },
            done,
          );
      }}
      onClose={onClose}
    >
      {[view, graphs].map(
        ({ error, refetch }, index) =>
          error !== null && <Failure key={index} error={error} onRetry={() => void refetch()} />,
      )}
      <fieldset class="action-form change-fields" disabled={stored !== undefined}>
        {view.data !== undefined && (
          <ValuesToEdit
            {...{ place, texts, ofGraph }}
            stored={view.data.channels}
            onChange={edit(setTexts)}
          />
        )}
        {graphs.data !== undefined && (
          <GraphChoice
            {...graphs.data}
            chosen={chosen.graph}
            onChoose={(name) => {
              choose({ graph: name, node: HERE });
            }}
          />
        )}
        {mayUpdate && nodes.length > 0 && (
          <label class="action-field">
            <span>How they are stored</span>
            <select
              value={chosen.node}
              onChange={typed((node) => {
                choose({ ...chosen, node });
              })}
            >
              <option value={HERE}>
                {may.fork ? "as they are" : "as if the node that ran last had returned them"}
              </option>
              {nodes.map((node) => (
                <option key={node} value={node}>
                  as if {nodeName(node)} had returned them
                </option>
              ))}
            </select>
          </label>
        )}
        <div role="status">
          {isUpdate && checked !== undefined && <CheckedValues values={checked.values} />}
          {(!isUpdate || checked !== undefined) && view.data !== undefined && <NextNodes next={next} />}
        </div>
        {canRun && (
          <label class="change-run">
            <input
              type="checkbox"
              checked={runs}
              onChange={({ currentTarget }) => {
                setRuns(currentTarget.checked);
              }}
            />
            Run it at once. What nodes did outside, such as sending mail, they may do again.
          </label>
        )}
      </fieldset>
    </FormDialog>
  );
}

/** Says what runs next at a step. */
export function NextNodes({ next }: { readonly next: readonly string[] }) {
  if (next.length === 0) return <p>Nothing runs next.</p>;
  return (
    <p>
      Runs next: <bdi>{next.map(nodeName).join(", ")}</bdi>
    </p>
  );
}
