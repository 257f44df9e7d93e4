# A Wan folder as its users have it, put together from small files with the official names and layout.
# shellcheck shell=bash

# make_wan FOLDER: DATA is tests/data.
make_wan() {
  local folder=$1
  mkdir -p "$folder/google/umt5-xxl"
  cp "$DATA"/wan/{config.json,diffusion_pytorch_model.safetensors,Wan2.1_VAE.pth} "$folder"
  cp "$DATA/text/tiny_umt5.pth" "$folder/models_t5_umt5-xxl-enc-bf16.pth"
  cp "$DATA/text/tiny_unigram.model" "$folder/google/umt5-xxl/spiece.model"
}
