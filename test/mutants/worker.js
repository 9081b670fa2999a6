// Runs test files as often as it is asked, in one process, which keeps what they import. Answers the first test that
// fails, {title, message}; {broken} when none has run; else {passed} and what the probes have seen.

const { runCLI } = require('jest');
const environment = require('./environment');

const escaped = (title) => title.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

process.on('message', (run) => void answer(run));

async function answer({ file, titles, stack, root, limit_ms }) {
  process.env.PAYMENT_API_TEST_STACK = JSON.stringify(stack);
  environment.begin(stack);
  const { results } = await runCLI(
    {
      $0: '',
      _: [file],
      runTestsByPath: true,
      runInBand: true,
      reporters: [],
      testEnvironment: require.resolve('./environment'),
      testTimeout: limit_ms,
      ...(titles && { testNamePattern: titles.map(escaped).join('|') }),
    },
    [root],
  );
  const seen = await environment.end();
  const [{ testResults, testExecError, failureMessage }] = results.testResults;
  const failed = testResults.find(({ status }) => status === 'failed');
  if (failed !== undefined) {
    process.send({ title: failed.fullName, message: failed.failureMessages.join('\n') });
  } else if (results.numPassedTests === 0) {
    process.send({ broken: testExecError?.message ?? failureMessage ?? 'No test has this title.' });
  } else {
    process.send({ passed: results.numPassedTests, seen });
  }
}
