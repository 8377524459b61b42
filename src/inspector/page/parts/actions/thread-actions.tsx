import { useEffect, useRef, useState } from "preact/hooks";
import type { DeletedRows, PruneRule } from "../../../api/storage-views.js";
import { linkTo, linkToThread, navigate } from "../../routes/route.js";
import { read } from "../../server/call-server.js";
import { countText, formatBytes } from "../number-texts.js";
import {
  ActionDialog,
  actionButton,
  ActionForm,
  type Closing,
  FormDialog,
  useChange,
  useCheckedChange,
} from "./action-dialog.js";
import { TextField } from "./fields.js";

interface ThreadProps {
  readonly threadId: string;
}

/** Copies a thread. */
export const CopyAction = actionButton("Copy…", "edit", CopyDialog);

function CopyDialog({ threadId, onClose }: ThreadProps & Closing) {
  const [target, setTarget] = useState(`${threadId}-copy`);
  const change = useChange("copyThread", () => {
    navigate(linkToThread({ threadId: target, namespace: "" }));
  });
  return (
    <FormDialog
      title="Copy this thread"
      sentence="All checkpoints, values and pending writes are stored a second time, under another id; this thread stays as it is."
      submit="Copy"
      isReady={target !== "" && target !== threadId}
      sending={[change]}
      onSubmit={(close) => {
        change.mutate({ source: threadId, target }, { onSuccess: close });
      }}
      onClose={onClose}
    >
      <TextField label="Id of the copy" value={target} onChange={setTarget} />
    </FormDialog>
  );
}

/** Deletes a thread. */
export const DeleteAction = actionButton("Delete…", "delete", DeleteDialog);

function DeleteDialog({ threadId, onClose }: ThreadProps & Closing) {
  const [given, setGiven] = useState("");
  const change = useChange("deleteThread", () => {
    navigate(linkTo("threads"));
  });
  const label = (
    <>
      Type the id of the thread, <bdi class="mono">{threadId}</bdi>
    </>
  );
  return (
    <FormDialog
      title="Delete this thread"
      sentence="All its checkpoints, values and pending writes are deleted for good, in all namespaces; other threads and the memory stay."
      submit="Delete for good"
      isReady={given === threadId}
      sending={[change]}
      onSubmit={(close) => {
        change.mutate({ threadId }, { onSuccess: close });
      }}
      onClose={onClose}
    >
      <TextField {...{ label }} value={given} onChange={setGiven} />
    </FormDialog>
  );
}

/** Deletes old checkpoints, after it has shown what that frees. */
export const PruneAction = actionButton("Prune…", "delete", PruneDialog);

interface PruneProps {
  /** Absent for all threads. */
  readonly threadId?: string | undefined;
}

function PruneDialog({ threadId, onClose }: PruneProps & Closing) {
  const { checked, changed, sending, forget, send } = useCheckedChange(
    (asked: PruneRule) => read("checkPrune", asked),
    "prune",
  );
  // Figures of another rule say nothing about this one.
  const { rule, keepLast, days } = usePruneRule(threadId, forget);
  return (
    <ActionDialog
      title={threadId === undefined ? "Prune all threads" : "Prune this thread"}
      sentence="Old checkpoints are deleted for good, with the values that only they need; the newest checkpoint of each namespace stays, so that every thread can go on."
      onClose={onClose}
    >
      {(close) =>
        changed === undefined ? (
          <ActionForm
            submit={checked === undefined ? "Show what is deleted" : "Prune"}
            isReady={rule !== undefined && (checked?.checkpoints !== 0 || checked.values !== 0)}
            sending={sending}
            onSubmit={() => {
              if (rule !== undefined) send(rule);
            }}
            onCancel={close}
          >
            <TextField {...keepLast} label="How many of the newest checkpoints of each namespace to keep" />
            <TextField {...days} label="Keep all checkpoints younger than this many days" />
            <p role="status">{checked !== undefined && <>This deletes {describeDeleted(checked)}.</>}</p>
          </ActionForm>
        ) : (
          <PruneResult deleted={changed} onClose={close} />
        )
      }
    </ActionDialog>
  );
}

function PruneResult({ deleted, onClose }: { readonly deleted: DeletedRows; readonly onClose: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  // The button that had the focus is gone.
  useEffect(() => {
    button.current?.focus();
  }, []);
  return (
    <div class="action-form">
      <p role="status">Deleted {describeDeleted(deleted)}.</p>
      <div class="action-buttons">
        <button ref={button} type="button" class="primary" onClick={onClose}>
          Close
        </button>
      </div>
    </div>
  );
}

const DAY_MS = 86_400_000;

/**
 * Asks for a rule by two fields. `undefined` where they name none.
 *
 * @param onChange - Called when a person changes one of them.
 */
export function usePruneRule(threadId: string | undefined, onChange?: () => void) {
  const fieldOf = (value: string, set: (text: string) => void) => ({
    type: "number" as const,
    value,
    onChange: (text: string): void => {
      set(text);
      onChange?.();
    },
  });
  const keepLast = fieldOf(...useState("10"));
  const days = fieldOf(...useState(""));
  return { keepLast, days, rule: pruneRuleOf(threadId, keepLast.value, days.value) };
}

/** Returns the rule that a person has typed. */
function pruneRuleOf(threadId: string | undefined, keepLast: string, days: string): PruneRule | undefined {
  const [last, age] = [Number(keepLast), Number(days)];
  if (keepLast === "" && days === "") return undefined;
  if (!Number.isInteger(last) || (keepLast !== "" && last < 1) || !(age >= 0)) return undefined;
  return {
    threadId,
    ...(keepLast !== "" && { keepLast: last }),
    ...(days !== "" && { olderThanMs: Math.round(age * DAY_MS) }),
  };
}

/** Says what a prune deletes. */
export function describeDeleted({ threads, checkpoints, values, writes, bytes }: DeletedRows): string {
  const rows = [
    countText(checkpoints, "checkpoint"),
    countText(values, "value"),
    countText(writes, "pending write"),
  ];
  return `${rows.join(", ")} of ${countText(threads, "thread")}: ${formatBytes(bytes)}`;
}
