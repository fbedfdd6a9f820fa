// list-models.mjs
const { data } = await (await fetch('https://asr.example.com/v1/models')).json();
console.log(data.map((model) => model.id));
