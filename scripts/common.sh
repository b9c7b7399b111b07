# shellcheck shell=bash
# What the scripts share: where the checkout is, how they speak, which CUDA toolkit is used.
# Sourced, never run.

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2034  # used by the scripts that source this file
remembered_toolkit=$root/.toolkit/path

say() { printf '%s\n' "$*" >&2; }
die() {
  say "${0##*/}: $*"
  exit 3
}
usage_error() {
  say "${0##*/}: $* (see ${0##*/} --help)"
  exit 2
}

# print_help: the comment at the top of the running script, without its first line.
print_help() { awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"; }

# What a folder lacks to serve as the CUDA toolkit; prints nothing when it is complete.
toolkit_lacks() {
  local folder=$1 file version
  [[ -f $folder/include/cuda.h ]] || { printf 'include/cuda.h'; return; }
  version=$(toolkit_version "$folder")
  [[ ${version%%.*} -ge 13 ]] || { printf 'CUDA 13 (it is CUDA %s)' "$version"; return; }
  for file in bin/nvcc include/cccl; do
    [[ -e $folder/$file ]] || { printf '%s' "$file"; return; }
  done
  extraction_lacks "$folder"
}

# What a folder lacks to be the toolkit of cudahot-extract; prints nothing if it has all.
extraction_lacks() {
  local folder=$1 file
  for file in include/cuda.h include/nvrtc.h include/nvJitLink.h; do
    [[ -e $folder/$file ]] || { printf '%s' "$file"; return; }
  done
  for file in libnvrtc.so libnvrtc-builtins.so libnvJitLink.so libcudart_static.a; do
    compgen -G "$folder/lib64/$file*" > /dev/null || compgen -G "$folder/lib/$file*" > /dev/null ||
      { printf '%s' "$file"; return; }
  done
}

# "13.0" from a toolkit's cuda.h
toolkit_version() {
  awk '$1 == "#define" && $2 == "CUDA_VERSION" { printf "%d.%d", $3 / 1000, ($3 % 1000) / 10; exit }' "$1/include/cuda.h"
}

# Makes `toolkit` (a folder) the only one that later commands find: variables, and the nvcc on PATH.
export_toolkit() {
  export CUDAHOT_TOOLKIT=$1 CUDA_HOME=$1 CUDA_PATH=$1 PATH=$1/bin:$PATH
}

# The toolkit for this run: $CUDAHOT_TOOLKIT, else the one that scripts/setup remembered.
use_toolkit() {
  local toolkit=${CUDAHOT_TOOLKIT:-} lacks
  [[ ${CUDAHOT_IGNORE_TOOLKITS:-0} == 1 ]] && toolkit=
  if [[ -z $toolkit ]]; then
    [[ -f $remembered_toolkit ]] || die "no CUDA toolkit is known yet: run scripts/setup first, or set CUDAHOT_TOOLKIT to the root of one"
    toolkit=$(< "$remembered_toolkit")
  fi
  lacks=$(toolkit_lacks "$toolkit")
  [[ -z $lacks ]] || die "the CUDA toolkit '$toolkit' lacks $lacks: run scripts/setup, or set CUDAHOT_TOOLKIT to the root of a complete one"
  export_toolkit "$toolkit"
}

# Compute capability of the first GPU ("9.0"); prints nothing where there is none.
gpu_architecture() {
  command -v nvidia-smi > /dev/null || return 0
  nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2> /dev/null | grep -xm 1 '[0-9]*\.[0-9]' || true
}

# What the sample runs on: $CUDAHOT_DEVICE, else gpu where one is seen, else cpu.
sample_device() {
  if [[ -n ${CUDAHOT_DEVICE:-} ]]; then
    printf '%s' "$CUDAHOT_DEVICE"
  elif [[ -n $(gpu_architecture) || -e /dev/nvidia0 ]]; then
    printf 'gpu'
  else
    printf 'cpu'
  fi
}

# prepare_sample BIN WORK DEVICE: a fresh copy of the sample's sources in WORK, and its bundle, which
# has code for a GPU in any case.
prepare_sample() {
  local bin=$1 work=$2 device=$3 architectures
  architectures=$(gpu_architecture)
  architectures=${architectures:-90}
  [[ $device != cpu ]] || architectures+=,cpu-x86-64
  rm -rf -- "$work"
  mkdir -p -- "$work"
  cp -- "$root"/examples/update_surface/*.cu* "$work"
  "$bin/cudahot-extract" --arch "$architectures" --bundle "$work/update_surface.cudahot" \
    "$work/update_surface.cu" -- -I "$root/kernels/include"
}
