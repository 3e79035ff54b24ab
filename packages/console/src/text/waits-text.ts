/** Waits for signals, and sleeps. */
export const waitsText = {
  waits: {
    title: "Waiting for people",
    none: "No job waits for anybody",
    noneAdvice: "Jobs that come to a wait of their pipeline are listed here until they are signalled.",
    signal: "Signal",
    since: "Waits since",
    until: "Until",
    noEnd: "as long as it takes",
    signalStage: "waits for a signal",
    sleepStage: "sleeps",
    waiting: "waiting",
    sleeping: "sleeping",
    waitsFor: (signal: string) => `Waits for ${signal}`,
    sleeps: "Sleeps",
    onTimeout: (then: string) =>
      then === "fail"
        ? "then it fails"
        : then === "continue"
          ? "then it continues without an answer"
          : `then it continues in ${then}`,
    paused: "The wait is paused: an answer is kept, and counts when it is resumed.",
    notByOwner: "The owner of the job cannot answer.",
    answer: "Answer",
    send: "Send the answer",
    sending: "Sending…",
    sentToast: "The job continues",
    keptToast: "The answer is kept until the job can take it",
    most: (span: string, then: string) => `at most ${span}, ${then}`,
    forSpan: (span: string) => `for ${span}`,
    noTimeout: "as long as it takes",
    outcome: { signalled: "answered", timed_out: "timed out", slept: "slept" },
    by: (user: string) => `by ${user}`,
    sentence: (outcome: string, span: string) => `${outcome}, ${span}`,
    show: (stage: string) => `Show the jobs that wait in ${stage}`,
    next: "Next page",
    first: "First page",
  },
} as const;
