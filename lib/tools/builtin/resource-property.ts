/** The property that every built-in tool takes beside its own. */
export const resourceProperty = {
  resource: {
    type: "string",
    description:
      "Resource (or binding) that the paths belong to; needed when the plan has more than one resource.",
  },
} as const;
