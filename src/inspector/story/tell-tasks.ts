import { readableWrite } from "../stored-values/readable-values.js";
import { groupBy } from "../../db/group-by.js";
import type { MessageKey, StoryTask, StoryTasks, StoryTool, StoryError } from "../api/story.js";
import type { NamespacePlace } from "../api/places.js";
import { isHandoff } from "../states/handoffs.js";
import type { CallRun } from "../calls/call-definition.js";
import type { StoryWriteRow } from "../queries/get-story-writes.js";
import type { DescribedTask } from "../values/next-nodes.js";
import { CONTROL_CHANNELS, nodeByName, NULL_TASK_ID } from "../values/trigger-channels.js";
import { TextRoom, cutText } from "../values/cut-text.js";
import { messageKeysOf, messagesIn, textOfKey, type Tokens, tokensIn, toolsIn } from "./written-messages.js";
import { isArray, isObject } from "../../serde/objects/inspect-object.js";
import { describeAnswer } from "../values/describe-answer.js";
import { describeQuestion, fieldOf, type Write } from "../values/describe-question.js";
import { readInterrupts, type ReadInterrupt } from "../values/question-form.js";
import { briefJson } from "../values/readable-json.js";
import { readOwn } from "../values/read-property.js";

const MAX_TASKS = 200;
const MAX_MESSAGES = 50;
const MAX_TOOLS = 50;
const MAX_QUESTIONS = 20;
const MAX_ANSWER = 2_000;

const FOR_ENGINE = /^(?:__|branch:|join:)/;

/** Tells what tasks have done. It tells the older steps first, so that a message counts for the step that wrote it first. */
export class TaskTeller {
  readonly #run: CallRun;
  readonly #place: NamespacePlace;
  readonly #room = new TextRoom();
  readonly #known = new Set<string>();

  constructor(run: CallRun, place: NamespacePlace) {
    this.#run = run;
    this.#place = place;
  }

  /** Tells what the tasks beside a checkpoint have done, by their writes. */
  async tell(tasks: readonly DescribedTask[], rows: readonly StoryWriteRow[]): Promise<StoryTasks> {
    const byTask = groupBy(rows, (row) => row.task_id);
    const isAnswered = answerIn(byTask.get(NULL_TASK_ID)) !== undefined;
    const output = new Output(this.#known);
    const told: StoryTask[] = [];
    for (const task of tasks) {
      const written = task.taskIds.map((id) => byTask.get(id)).find((writes) => writes !== undefined) ?? [];
      told.push(await this.#tellTask(task, written, { isAnswered, output, byTask }));
    }
    for (const row of byTask.get(NULL_TASK_ID) ?? []) await this.#addOutput(row, output);
    const notable = told.filter(({ error, questions }) => error !== undefined || questions.length > 0);
    const shown = told.length <= MAX_TASKS ? told : [...new Set([...notable, ...told])].slice(0, MAX_TASKS);
    return { tasks: shown, omitted: told.length - shown.length, ...output.summary() };
  }

  async #tellTask(
    { node, taskIds }: DescribedTask,
    rows: readonly StoryWriteRow[],
    { isAnswered, output, byTask }: ToldBeside,
  ): Promise<StoryTask> {
    const isDone = rows.some(({ channel }) => !CONTROL_CHANNELS.includes(channel));
    // Before that, an answer may be to an earlier question of the task.
    const hasGoneOn = isDone || rows.some(({ channel }) => channel === "__error__");
    let error: StoryTask["error"];
    let handedOver = false;
    let questions: StoryTask["questions"] = [];
    for (const row of rows) {
      const { task_id: taskId, idx, channel } = row;
      const write = { taskId, idx };
      if (channel === "__error__") {
        const read = await this.#valueOf(row);
        if (isHandoff(this.#place.namespace, read?.value)) handedOver = true;
        else error = read === undefined ? unreadable(row) : describeError(read.value, write, this.#room);
      } else if (channel === "__interrupt__") {
        const read = await this.#valueOf(row);
        const asked = read === undefined ? undefined : readInterrupts(read.value).slice(0, MAX_QUESTIONS);
        if (asked === undefined) questions = [...questions, unreadable(row)];
        for (const each of asked ?? []) {
          const answer = hasGoneOn
            ? await this.#answerTo(each, asked?.length === 1 ? [rows, byTask.get(NULL_TASK_ID)] : [], byTask)
            : undefined;
          const question = describeQuestion(each, write, this.#room);
          questions = [...questions, { ...question, ...(answer !== undefined && { answer }) }];
        }
      } else await this.#addOutput(row, output);
    }
    const leadsTo = rows.flatMap(({ channel }) => nodeByName(channel) ?? []);
    return {
      ...(node !== undefined && { node }),
      taskIds,
      isDone: handedOver || isDone,
      isAnswered: questions.length > 0 && (isAnswered || answerIn(rows) !== undefined),
      ...(error !== undefined && { error }),
      ...(handedOver && { handedOver }),
      ...(leadsTo.length > 0 && { leadsTo }),
      questions,
    };
  }

  /**
   * Says what was answered. A task has a list of its answers, the last of which is to its last question. An answer for a task of a subgraph
   * stands beside the checkpoint alone: under the id of the question, or as the only one.
   *
   * @param sources - The writes in which an answer is to this question whatever it names.
   */
  async #answerTo(
    { id = "", value }: ReadInterrupt,
    [own, beside]: readonly (readonly StoryWriteRow[] | undefined)[],
    byTask: ReadonlyMap<string, readonly StoryWriteRow[]>,
  ): Promise<string | undefined> {
    const row = answerIn(own) ?? answerIn(byTask.get(id)) ?? answerIn(beside);
    const read = row === undefined ? undefined : await this.#valueOf(row);
    if (row === undefined || read === undefined) return undefined;
    const isList = row.task_id !== NULL_TASK_ID && isArray(read.value);
    const { text, isCut } = this.#room.cut(
      describeAnswer(value, isList ? read.value.at(-1) : read.value),
      MAX_ANSWER,
    );
    return isCut ? `${text}…` : text;
  }

  /** Leaves out what only starts nodes, which is never read. */
  async #addOutput(row: StoryWriteRow, output: Output): Promise<void> {
    if (row.channel === "__resume__") return;
    if (row.is_read || !FOR_ENGINE.test(row.channel)) output.add(await this.#valueOf(row));
  }

  /** Returns `undefined` for a value that was not read, or that this saver can't read. It must not hide the others. */
  async #valueOf(row: StoryWriteRow): Promise<{ readonly value: unknown } | undefined> {
    return row.is_read ? readableWrite(this.#run, this.#place, row) : undefined;
  }
}

/** What is told of the other tasks beside the same checkpoint. */
interface ToldBeside {
  /** Whether an answer is there that names no question. */
  readonly isAnswered: boolean;
  readonly output: Output;
  readonly byTask: ReadonlyMap<string, readonly StoryWriteRow[]>;
}

function answerIn(rows: readonly StoryWriteRow[] | undefined): StoryWriteRow | undefined {
  return rows?.find(({ channel }) => channel === "__resume__");
}

/** Stands for a text that was not read. The page of the checkpoint says why. */
function unreadable({ task_id: taskId, idx, bytes }: StoryWriteRow) {
  return { text: `(${bytes} bytes that were not read)`, isCut: false, taskId, idx };
}

/** What the tasks of a step have written besides errors and questions. */
class Output {
  readonly #known: Set<string>;
  readonly #tools: StoryTool[] = [];
  readonly #messages: MessageKey[] = [];
  #messageCount = 0;
  #tokens: Tokens | undefined;
  #isPartial = false;

  /** @param known - The messages that older steps have written: by their ids, and by their texts as long as they had none. */
  constructor(known: Set<string>) {
    this.#known = known;
  }

  /** Adds a write; `undefined` is one that was not read. */
  add(written: { readonly value: unknown } | undefined): void {
    if (written === undefined) {
      this.#isPartial = true;
      return;
    }
    const all = messagesIn(written.value);
    for (const message of all) {
      const keys = messageKeysOf(message);
      const [key] = keys;
      const text = textOfKey(keys.at(-1) ?? key);
      if (key.id === undefined) this.#known.add(text);
      else if (this.#known.has(textOfKey(key))) continue;
      else {
        this.#known.add(textOfKey(key));
        // An agent within a graph writes the whole conversation, whose messages have got ids meanwhile.
        if (all.length > 1 && this.#known.delete(text)) continue;
      }
      if (message.role === "remove") continue;
      this.#messageCount += 1;
      if (this.#messages.length < MAX_MESSAGES) this.#messages.push(key);
      const room = MAX_TOOLS - this.#tools.length;
      if (room > 0) this.#tools.push(...toolsIn(message, room));
      const tokens = tokensIn(message);
      if (tokens === undefined) continue;
      const { input = 0, output = 0 } = this.#tokens ?? {};
      this.#tokens = { input: input + tokens.input, output: output + tokens.output };
    }
  }

  summary(): Omit<StoryTasks, "tasks" | "omitted"> {
    return {
      ...{ tools: this.#tools, messages: this.#messages, messageCount: this.#messageCount },
      ...(this.#tokens !== undefined && { tokens: this.#tokens }),
      isPartial: this.#isPartial,
    };
  }
}

/** The most characters of a message. */
const MAX_TEXT = 8_000;
const MAX_NAME = 100;

/** Describes the error of a task: JavaScript stores its name and its message, and Python a text such as `ValueError('no')`. */
function describeError(value: unknown, write: Write, room: TextRoom): StoryError {
  const name = isObject(value) ? readOwn(value, "name") : undefined;
  const found = isObject(value) ? fieldOf(value, ["message"]) : undefined;
  const error = found ?? { text: typeof value === "string" ? value : briefJson(value, MAX_TEXT), path: [] };
  return {
    ...(typeof name === "string" && { name: cutText(name, MAX_NAME).text }),
    ...room.cut(error.text, MAX_TEXT),
    ...write,
    ...((found !== undefined || typeof value === "string") && { path: error.path }),
  };
}
