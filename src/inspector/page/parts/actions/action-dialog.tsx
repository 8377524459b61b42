import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { InspectorAction } from "../../../api/actions.js";
import { useOverview } from "../../server/overview-context.js";
import { Failure } from "../read-state.js";
import type { WriteCalls, WriteName } from "../../../api/inspector-api.js";
import { useMutation, type UseMutationResult, useQueryClient } from "@tanstack/preact-query";
import { write } from "../../server/call-server.js";
import "./actions.css";
import { sent } from "../typed-text.js";

interface ActionDialogProps {
  readonly title: string;
  /** What the action will do, and what stays. */
  readonly sentence: ComponentChildren;
  readonly onClose: () => void;
  /** @param close - Closes the dialog, and gives the focus back to the button that opened it. */
  readonly children: (close: () => void) => ComponentChildren;
}

/** Asks about an action. The browser keeps the focus in the dialog, and closes it on Escape. */
export function ActionDialog({ title, sentence, onClose, children }: ActionDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const close = (): void => {
    dialog.current?.close();
  };
  return (
    <dialog
      ref={dialog}
      class="action-dialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-sentence`}
      onClose={onClose}
      // The keys of the page behind must do nothing meanwhile.
      onKeyDown={(event) => {
        event.stopPropagation();
      }}
    >
      <h2 id={`${id}-title`}>{title}</h2>
      <p id={`${id}-sentence`}>{sentence}</p>
      {children(close)}
    </dialog>
  );
}

/** What a dialog is given. */
export interface Closing {
  readonly onClose: () => void;
}

/**
 * Returns a button that asks about an action. There is none for who may not do it.
 *
 * @param rights - One of these is enough; `read` for what everyone may do who sees the page.
 * @param Dialog - Asks about the action, with what it is about.
 */
export function actionButton<Subject extends object>(
  label: string,
  rights: InspectorAction | readonly InspectorAction[],
  Dialog: ComponentType<Subject & Closing>,
): ComponentType<Subject> {
  return (subject) => <ActionButton {...{ label, rights, Dialog, subject }} />;
}

interface ActionButtonProps<Subject> {
  readonly label: string;
  readonly rights: InspectorAction | readonly InspectorAction[];
  readonly Dialog: ComponentType<Subject & Closing>;
  readonly subject: Subject;
}

function ActionButton<Subject extends object>(props: ActionButtonProps<Subject>) {
  const { label, rights, Dialog, subject } = props;
  const { may } = useOverview();
  // The page may follow a thread meanwhile. The dialog stays about what it was opened for.
  const [opened, setOpened] = useState<Subject>();
  if (![rights].flat().some((right) => right === "read" || may[right])) return null;
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => {
          setOpened(subject);
        }}
      >
        {label}
      </button>
      {opened !== undefined && (
        <Dialog
          {...opened}
          onClose={() => {
            setOpened(undefined);
          }}
        />
      )}
    </>
  );
}

interface ActionFormProps {
  /** What the button that acts says. */
  readonly submit: string;
  readonly isReady?: boolean;
  /** What the form sends. The first error is shown. */
  readonly sending: readonly { readonly isPending: boolean; readonly error: unknown }[];
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
  readonly children?: ComponentChildren;
}

/** The fields of an action, its error, and its buttons. */
export function ActionForm(props: ActionFormProps) {
  const { submit, isReady = true, sending, onSubmit, onCancel, children } = props;
  const canSend = isReady && !sending.some(({ isPending }) => isPending);
  const error = sending.map((each) => each.error ?? undefined).find((each) => each !== undefined);
  return (
    <form
      class="action-form"
      onSubmit={sent(() => {
        if (canSend) onSubmit();
      })}
    >
      {children}
      {error !== undefined && <Failure error={error} />}
      <div class="action-buttons">
        <button type="submit" class="primary" disabled={!canSend}>
          {submit}
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}

interface FormDialogProps
  extends Omit<ActionDialogProps, "children">, Omit<ActionFormProps, "onSubmit" | "onCancel"> {
  /** @param close - Closes the dialog. */
  readonly onSubmit: (close: () => void) => void;
}

/** Asks about an action by a form. */
export function FormDialog({ title, sentence, onClose, onSubmit, ...form }: FormDialogProps) {
  return (
    <ActionDialog {...{ title, sentence, onClose }}>
      {(close) => (
        <ActionForm
          {...form}
          onSubmit={() => {
            onSubmit(close);
          }}
          onCancel={close}
        />
      )}
    </ActionDialog>
  );
}

/** The button of a dialog that only shows something. */
export function CloseButton({ close }: { readonly close: () => void }) {
  return (
    <div class="action-buttons">
      <button type="button" onClick={close}>
        Close
      </button>
    </div>
  );
}

interface ConfirmProps<Name extends WriteName> {
  readonly label: string;
  readonly title: string;
  /** What the action will do, and what stays. */
  readonly sentence: ComponentChildren;
  /** What the button that acts says. */
  readonly submit: string;
  readonly call: Name;
  readonly args: Args<Name>;
  readonly onDone?: (() => void) | undefined;
}

/** Deletes something after a question that asks for nothing else. */
export function ConfirmAction<Name extends WriteName>({ label, ...subject }: ConfirmProps<Name>) {
  return <ActionButton {...{ label, subject }} rights="delete" Dialog={ConfirmDialog<Name>} />;
}

function ConfirmDialog<Name extends WriteName>(props: Omit<ConfirmProps<Name>, "label"> & Closing) {
  const { call, args, onDone, ...dialog } = props;
  const change = useChange(call, onDone);
  return (
    <FormDialog
      {...dialog}
      sending={[change]}
      onSubmit={(close) => {
        change.mutate(args, { onSuccess: close });
      }}
    />
  );
}

type Args<Name extends WriteName> = WriteCalls[Name]["args"];
type Result<Name extends WriteName> = WriteCalls[Name]["result"];

/** Changes something on the server. Everything that is shown is read again afterwards. */
export function useChange<Name extends WriteName>(
  name: Name,
  onDone?: (result: Result<Name>, args: Args<Name>) => void,
): UseMutationResult<Result<Name>, Error, Args<Name>> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (args: Args<Name>) => write(name, args),
    onSuccess: (result, args) => {
      onDone?.(result, args);
      void client.invalidateQueries();
    },
  });
}

/**
 * Changes something that a person has first seen the outcome of.
 *
 * @param check - Finds out what a change would do. It is asked again after `forget`, when what would be sent is another one.
 */
export function useCheckedChange<Name extends WriteName, Checked>(
  check: (args: Args<Name>) => Promise<Checked>,
  name: Name,
  onDone?: (result: Result<Name>) => void,
) {
  const checking = useMutation({ mutationFn: check });
  const change = useChange(name, onDone);
  return {
    ...{ checked: checking.data, changed: change.data, sending: [change, checking] },
    forget: (): void => {
      checking.reset();
      change.reset();
    },
    send: (args: Args<Name>, onSuccess?: () => void): void => {
      if (checking.data === undefined) checking.mutate(args);
      else change.mutate(args, onSuccess === undefined ? {} : { onSuccess });
    },
  };
}
