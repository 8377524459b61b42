import { z } from "zod";
import { keyText } from "../../parsing/keys.js";
import type { MessageKey } from "../api/story.js";
import { findMessages } from "../story/find-messages.js";
import { readStory } from "../story/read-story.js";
import { checkpointId, checkpointPlace, limitUpTo, namespacePlace } from "./args.js";
import type { ReadDefinitions } from "./call-definition.js";

const DEFAULT_STEPS = 50;
const MAX_MESSAGES = 50;
const text = z.string().max(1_000);

const messageKey = z
  .strictObject({
    role: z.enum(["human", "ai", "system", "tool", "remove", "other"]),
    id: z.string().optional(),
    toolCallId: z.string().optional(),
    text: text.optional(),
  })
  .transform(({ role, id, toolCallId, text: start }): MessageKey => ({
    role,
    ...(id !== undefined && { id }),
    ...(toolCallId !== undefined && { toolCallId }),
    ...(start !== undefined && { text: start }),
  }));

export const storyCalls: ReadDefinitions<"story" | "findMessages"> = {
  story: {
    args: namespacePlace.extend({ before: checkpointId.optional(), limit: limitUpTo(200) }),
    run: (run, { before, limit = DEFAULT_STEPS, ...place }) => readStory(run, { ...place, before, limit }),
  },
  findMessages: {
    args: checkpointPlace.extend({
      channel: keyText,
      messages: z.array(messageKey).max(MAX_MESSAGES),
      followedBy: messageKey.optional(),
    }),
    run: findMessages,
  },
};
