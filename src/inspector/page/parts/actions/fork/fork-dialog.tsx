import { useMutation } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import type { ForkRequest } from "../../../../api/changes.js";
import type { CheckpointPlace } from "../../../../api/places.js";
import { linkToCheckpoint } from "../../../routes/route.js";
import { navigate } from "../../../routes/use-route.js";
import { read } from "../../../server/call-server.js";
import { useRead } from "../../../server/use-read.js";
import { Failure } from "../../failure.js";
import { ActionDialog } from "../action-dialog.js";
import { ActionForm } from "../action-form.js";
import { useChange } from "../use-change.js";
import { ChannelChoice } from "./channel-choice.js";
import { CheckedValues } from "./checked-values.js";
import { EditedValue } from "./edited-value.js";

interface ForkDialogProps {
  readonly place: CheckpointPlace;
  readonly onClose: () => void;
}

/** Asks for the values of a new branch, and shows what would be stored before it is. */
export function ForkDialog({ place, onClose }: ForkDialogProps) {
  const view = useRead("checkpoint", place);
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({});
  const check = useMutation({ mutationFn: (request: ForkRequest) => read("checkFork", request) });
  const change = useChange("fork", ({ checkpointId }) => {
    navigate(linkToCheckpoint({ ...place, checkpointId }));
  });
  const { values, problems } = parseTexts(texts);
  const edit = (changed: Readonly<Record<string, string>>): void => {
    setTexts(changed);
    // What was checked is not what would be stored any more.
    check.reset();
    change.reset();
  };
  const checked = check.data?.values;
  const isRefused = checked?.some(({ problem }) => problem !== undefined) === true;
  return (
    <ActionDialog
      title="Fork this checkpoint"
      sentence={
        <>
          A new checkpoint that follows <bdi class="mono">{place.checkpointId}</bdi> starts a branch with the
          values that you edit; all other values and all other checkpoints stay.
        </>
      }
      onClose={onClose}
    >
      {(close) => (
        <ActionForm
          submit={checked === undefined ? "Check" : "Create the checkpoint"}
          isReady={view.data !== undefined && Object.keys(problems).length === 0 && !isRefused}
          isPending={check.isPending || change.isPending}
          error={change.error ?? check.error}
          onSubmit={() => {
            if (checked === undefined) check.mutate({ ...place, values });
            else change.mutate({ ...place, values }, { onSuccess: close });
          }}
          onCancel={close}
        >
          {view.error !== null && <Failure error={view.error} onRetry={() => void view.refetch()} />}
          {view.data !== undefined && (
            <ChannelChoice channels={view.data.channels} texts={texts} onChange={edit} />
          )}
          {Object.entries(texts).map(([channel, text]) => (
            <EditedValue
              key={channel}
              place={place}
              channel={channel}
              text={text}
              problem={problems[channel]}
              onChange={(changed) => {
                edit({ ...texts, [channel]: changed });
              }}
            />
          ))}
          <div role="status">{checked !== undefined && <CheckedValues values={checked} />}</div>
        </ActionForm>
      )}
    </ActionDialog>
  );
}

/** What a person has typed, parsed. */
interface ParsedTexts {
  readonly values: Readonly<Record<string, unknown>>;
  /** Why a text is not JSON, by channel. */
  readonly problems: Readonly<Record<string, string>>;
}

/** Parses the texts of the edited channels. */
function parseTexts(texts: Readonly<Record<string, string>>): ParsedTexts {
  const parsed = Object.entries(texts).map(([channel, text]) => ({ channel, ...parseText(text) }));
  return {
    values: Object.fromEntries(parsed.map(({ channel, value }) => [channel, value])),
    problems: Object.fromEntries(
      parsed.flatMap(({ channel, problem }) => (problem === undefined ? [] : [[channel, problem]])),
    ),
  };
}

function parseText(text: string): { readonly value?: unknown; readonly problem?: string } {
  if (text.trim() === "") return { problem: 'Give a value as JSON, such as "text", 1 or null.' };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : ""}` };
  }
}
