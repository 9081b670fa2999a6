// Ends a run at its first test that fails. Writes one line of JSON: {title, message}, {broken} when a file does not even
// load, or {passed} when none failed.

const { writeSync } = require('node:fs');

const say = (verdict) => writeSync(1, `${JSON.stringify(verdict)}\n`);

module.exports = class FirstFailure {
  onTestCaseResult(_test, { status, fullName, failureMessages }) {
    if (status !== 'failed') return;
    say({ title: fullName, message: failureMessages.join('\n') });
    process.exit(1);
  }

  onTestFileResult(_test, { failureMessage, numFailingTests }) {
    if (failureMessage && numFailingTests === 0) say({ broken: failureMessage });
  }

  onRunComplete(_contexts, { numPassedTests }) {
    say({ passed: numPassedTests });
  }
};
