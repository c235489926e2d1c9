/** The property that every built-in tool takes beside its own. */
export const resourceProperty = {
  resource: {
    type: "string",
    description:
      "Resource (or binding) that the paths belong to; needed when the plan binds more than one writable.",
  },
} as const;
