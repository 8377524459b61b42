import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import type { ItemPlace } from "../../../api/memory.js";
import { ActionButton } from "../../parts/actions/action-button.js";
import { ActionDialog } from "../../parts/actions/action-dialog.js";
import { ActionForm } from "../../parts/actions/action-form.js";
import { JsonField, parseObject } from "../../parts/actions/json-field.js";
import { useChange } from "../../parts/actions/use-change.js";
import { Loading } from "../../parts/loading.js";
import { read } from "../../server/call-server.js";
import { explainConflict } from "./explain-conflict.js";

interface EditItemProps {
  readonly item: ItemPlace;
}

interface DialogProps {
  readonly onClose: () => void;
}

/** Replaces the value of an item. */
export function EditItemAction({ item }: EditItemProps) {
  return <ActionButton label="Edit…" action="edit" dialog={EditItemDialog} subject={{ item }} />;
}

function EditItemDialog({ item, onClose }: EditItemProps & DialogProps) {
  // Read each time, since the value may have changed since the dialog was open before.
  const { data, error } = useQuery({
    queryKey: ["editableItem", item],
    queryFn: ({ signal }) => read("editableItem", item, signal),
    ...{ staleTime: Infinity, gcTime: 0, retry: false },
  });
  return (
    <ActionDialog
      title="Edit this item"
      sentence="The new value replaces the old one for good, and the time to live starts again; the item is not changed where someone else has changed it meanwhile."
      onClose={onClose}
    >
      {(close) =>
        data?.json === undefined ? (
          <ActionForm
            submit="Store"
            isReady={false}
            isPending={false}
            error={error}
            onSubmit={close}
            onCancel={close}
          >
            <div role="status">
              {data?.problem !== undefined && (
                <p class="action-problem">
                  <bdi>{data.problem}</bdi>
                </p>
              )}
              {data === undefined && error === null && <Loading what="the value" />}
            </div>
          </ActionForm>
        ) : (
          <EditForm item={item} version={data.version} json={data.json} close={close} />
        )
      }
    </ActionDialog>
  );
}

interface EditFormProps extends EditItemProps {
  readonly version: number;
  readonly json: string;
  readonly close: () => void;
}

function EditForm({ item, version, json, close }: EditFormProps) {
  // What the person has begun with, whatever is read meanwhile.
  const [edited] = useState({ version, json });
  const [text, setText] = useState(json);
  const change = useChange("editItem");
  const parsed = parseObject(text);
  return (
    <ActionForm
      submit="Store"
      isReady={parsed.problem === undefined && text !== edited.json}
      isPending={change.isPending}
      error={explainConflict(
        change.error,
        "Someone else has changed or deleted this item meanwhile, so nothing was stored. Copy your text, close this, and edit the item again.",
      )}
      onSubmit={() => {
        if (parsed.problem !== undefined) return;
        change.mutate({ ...item, value: parsed.value, version: edited.version }, { onSuccess: close });
      }}
      onCancel={close}
    >
      <JsonField label="Value, as a JSON object" text={text} problem={parsed.problem} onChange={setText} />
    </ActionForm>
  );
}
