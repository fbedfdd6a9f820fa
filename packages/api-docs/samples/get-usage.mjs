// get-usage.mjs
const response = await fetch('https://asr.example.com/v1/usage', {
  headers: { authorization: `Bearer ${process.env.SVC_ASR_API_KEY}` },
});
const { available_ms } = await response.json();
console.log(`${Math.floor(available_ms / 1000)} seconds left`);
