import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import type { ItemPlace } from "../../../api/memory.js";
import {
  ActionDialog,
  actionButton,
  ActionForm,
  type Closing,
  FormDialog,
  useChange,
} from "../../parts/actions/action-dialog.js";
import { JsonField, TextField } from "../../parts/actions/fields.js";
import { typedObject } from "../../parts/json-text.js";
import { Loading } from "../../parts/read-state.js";
import { read } from "../../server/call-server.js";
import { navigate } from "../../routes/route.js";
import { labelsOf, linkToMemory, joinedLabels } from "./memory-links.js";
import { ServerError } from "../../server/errors.js";

/** Replaces the value of an item. */
export const EditItemAction = actionButton("Edit…", "edit", EditItemDialog);

function EditItemDialog({ item, onClose }: { readonly item: ItemPlace } & Closing) {
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
            sending={[{ isPending: false, error }]}
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

interface EditFormProps {
  readonly item: ItemPlace;
  readonly version: number;
  readonly json: string;
  readonly close: () => void;
}

function EditForm({ item, version, json, close }: EditFormProps) {
  // What the person has begun with, whatever is read meanwhile.
  const [edited] = useState({ version, json });
  const [text, setText] = useState(json);
  const change = useChange("editItem");
  const parsed = typedObject(text);
  return (
    <ActionForm
      submit="Store"
      isReady={parsed.problem === undefined && text !== edited.json}
      sending={[
        explained(
          change,
          "Someone else has changed or deleted this item meanwhile, so nothing was stored. Copy your text, close this, and edit the item again.",
        ),
      ]}
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

/** Stores an item. */
export const NewItemAction = actionButton("New item…", "edit", NewItemDialog);

interface NewItemProps {
  /** The namespace that is shown. */
  readonly prefix: readonly string[];
  readonly writesAsApplication: boolean;
}

function NewItemDialog({ prefix, writesAsApplication, onClose }: NewItemProps & Closing) {
  const [namespace, setNamespace] = useState(joinedLabels(prefix));
  const [key, setKey] = useState("");
  const [text, setText] = useState("{}");
  const [ttl, setTtl] = useState("");
  const place = { namespace: labelsOf(namespace), key };
  const change = useChange("createItem", () => {
    navigate(linkToMemory({ item: place }));
  });
  const parsed = typedObject(text);
  const isReady = namespace !== "" && !place.namespace.includes("") && (ttl === "" || Number(ttl) > 0);
  return (
    <FormDialog
      title="Store an item"
      sentence={
        writesAsApplication
          ? "A new item is stored as the application does it, with the embeddings and the time to live of its store; an item that is there already is not replaced."
          : "A new item is stored as plain JSON, without embeddings; an item that is there already is not replaced."
      }
      submit="Store"
      isReady={isReady && parsed.problem === undefined}
      sending={[explained(change, "There is such an item already, so nothing was stored.")]}
      onSubmit={(close) => {
        if (parsed.problem !== undefined) return;
        const lifetime = ttl === "" ? {} : { ttlMinutes: Number(ttl) };
        change.mutate({ ...place, value: parsed.value, ...lifetime }, { onSuccess: close });
      }}
      onClose={onClose}
    >
      <TextField
        label="Namespace: labels with periods between them, such as users.7"
        value={namespace}
        onChange={setNamespace}
      />
      <TextField label="Key" value={key} onChange={setKey} />
      <JsonField label="Value, as a JSON object" text={text} problem={parsed.problem} onChange={setText} />
      <TextField
        type="number"
        label={`Time to live in minutes; empty for ${writesAsApplication ? "that of the store" : "ever"}`}
        value={ttl}
        onChange={setTtl}
      />
    </FormDialog>
  );
}

/** Says what a conflict of versions means for who has typed the value. Other errors stay as they are. */
function explained(
  { isPending, error }: { readonly isPending: boolean; readonly error: unknown },
  conflict: string,
) {
  const isConflict = error instanceof ServerError && error.code === "VERSION_CONFLICT";
  return { isPending, error: isConflict ? new ServerError(error.code, conflict) : error };
}
